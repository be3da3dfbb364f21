# SPDX-License-Identifier: GPL-2.0-only
#
# Plots figure 5.8 of the thesis: per interval of 20 ms, smoothed (Bezier), with every
# third request logged on the left and every one on the right.  The pale lines are not
# smoothed.  Needs the variable load; writes correlation-LOAD.svg and .png.

plot_all = "\
set multiplot layout 1,2; \
set xlabel 'seconds'; set grid; set ytics nomirror; set y2tics; \
set ylabel 'notifications per interval'; set y2label 'pages per interval'; \
set yrange [0:*]; set y2range [0:*]; set key below; \
do for [threshold in '3 1'] { \
    file = 'correlation-'.load.'-'.threshold.'.dat'; \
    set title (threshold eq '1' ? 'each request logged' : 'each third request logged'); \
    plot file using 1:2 axes x1y1 with lines lw 0.6 lc rgb '#9ecae1' notitle, \
         file using 1:4 axes x1y2 with lines lw 0.6 lc rgb '#fdae6b' notitle, \
         file using 1:2 axes x1y1 smooth bezier lw 2 lc rgb '#08519c' title 'notifications', \
         file using 1:4 axes x1y2 smooth bezier lw 2 lc rgb '#d94801' title 'pages'; \
}; \
unset multiplot"

set terminal svg size 1000,400 background rgb 'white'
set output 'correlation-'.load.'.svg'
eval plot_all

set terminal pngcairo size 1000,400
set output 'correlation-'.load.'.png'
eval plot_all
