# Installation: headers, libraries, tools and the CMake package LSTM.
