# SPDX-License-Identifier: GPL-2.0-only
"""A Chromium without a window and without a GPU, for pages that xensched writes.

Debian's packages chromium, chromium-driver and python3-selenium are needed.
"""

import shutil

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

BROWSER = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
IS_THERE = bool(webdriver and BROWSER and DRIVER)


def start_browser(size):
    """size: such as "1200,600"."""
    options = Options()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--window-size=" + size, "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)
