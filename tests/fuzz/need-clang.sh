# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# To be sourced by the tests here: without a clang that can build fuzz targets
# there is nothing to test, which TAP reports.

need_clang()
{
    local program

    program=$(mktemp)
    if ! echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -x c -fsanitize=fuzzer,address,undefined -o "$program" - 2> /dev/null
    then
        rm -f "$program"
        echo "1..0 # SKIP no clang with its fuzzer: packages clang, libclang-rt-dev"
        exit 0
    fi
    rm -f "$program"
}
