// Read before each source of tfjs's addon, which makes sessions with options that nobody can choose. With
// TENSORFLOW_GRAPH_REWRITES=off in the environment as a graph is loaded, TensorFlow runs the graph as it was written
// (packages/learning/jit says when). Its optimizer would go over every function anew for each set of inputs and outputs.
#pragma once
#include <cstdlib>
#include <cstring>
#include "tensorflow/c/c_api.h"

static TF_SessionOptions* palimpsest_session_options() {
  TF_SessionOptions* options = TF_NewSessionOptions();
  const char* rewrites = std::getenv("TENSORFLOW_GRAPH_REWRITES");
  if (rewrites == nullptr || std::strcmp(rewrites, "off") != 0) return options;
  // ConfigProto { graph_options { rewrite_options { disable_meta_optimizer: true } } }
  static const unsigned char config[] = {0x52, 0x05, 0x52, 0x03, 0x98, 0x01, 0x01};
  // Bytes that a libtensorflow does not read leave its defaults, with which everything works.
  TF_Status* status = TF_NewStatus();
  TF_SetConfig(options, config, sizeof(config), status);
  TF_DeleteStatus(status);
  return options;
}

#define TF_NewSessionOptions palimpsest_session_options
