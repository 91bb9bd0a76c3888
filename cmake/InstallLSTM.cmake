# Installation: headers, libraries, tools and the CMake package LSTM, so that
# find_package(LSTM) gives the targets LSTM::LSTMDialect and so on.
include(CMakePackageConfigHelpers)

set(LSTM_INSTALL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/LSTM)

# The .td files belong to the headers: a dialect of one's own includes them.
install(DIRECTORY include/lstm include/lstm-c include/lstm-runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/lstm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(DIRECTORY schedules DESTINATION ${CMAKE_INSTALL_DATADIR}/lstm)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

get_property(libraries GLOBAL PROPERTY LSTM_LIBRARIES)
install(TARGETS ${libraries} EXPORT LSTMTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT LSTMTargets NAMESPACE LSTM:: DESTINATION ${LSTM_INSTALL_PACKAGE_DIR})

configure_package_config_file(cmake/LSTMConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/LSTMConfig.cmake
  INSTALL_DESTINATION ${LSTM_INSTALL_PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/LSTMConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/LSTMConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/LSTMConfigVersion.cmake DESTINATION ${LSTM_INSTALL_PACKAGE_DIR})
