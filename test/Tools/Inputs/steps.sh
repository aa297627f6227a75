#!/bin/sh
# steps.sh CODE: writes what Ninja would, with one complaint, and ends with CODE.
echo "${NINJA_STATUS}Building CXX object a/one.cpp.o" | sed 's/%f/1/;s/%t/4/'
echo "a/two.cpp:1:1: error: expected a name"
echo "${NINJA_STATUS}Linking CXX executable bin/two" | sed 's/%f/4/;s/%t/4/'
exit "$1"
