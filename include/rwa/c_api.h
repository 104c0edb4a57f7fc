/* include/rwa/c_api.h: the library and the program's workflows as C functions, for use from other
 * languages.
 *
 * Errors: every function that can fail returns an rwa_result. If it is not RWA_OK, rwa_last_error()
 * has the message and the output arguments are unchanged.
 * Handles are opaque. Functions ending in _new, _load and the like create them; the matching _free
 * function releases them and accepts NULL.
 * Configurations and options are JSON objects with the field names of the C++ structs. Missing
 * fields keep the C++ defaults, unknown fields are errors, and NULL is the same as "{}".
 * Strings are UTF-8. A returned string is valid until the calling thread's next call.
 * Arrays are row-major, last index fastest: T steps, B sequences, D features, H units, O outputs.
 * Sequences are [T,B,.].
 * Threads: a handle may be used by one thread at a time, different handles concurrently. Several
 * threads may read a model while none modifies it.
 * Lifetime: sessions, streams and trainers keep their model alive, even after rwa_model_free().
 */
#ifndef RWA_C_API_H
#define RWA_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RWA_C_EXPORT __attribute__((visibility("default")))

/* Incremented when an existing declaration changes or is removed, not when one is added. */
#define RWA_C_API_VERSION 2

/* The values are also the exit statuses of the rwa program. */
typedef enum rwa_result {
  RWA_OK = 0,
  RWA_INTERNAL_ERROR = 1,   /* a bug in the library */
  RWA_CONFIG_ERROR = 2,     /* an invalid configuration or option */
  RWA_INPUT_ERROR = 3,      /* data that does not fit the model, or is inconsistent */
  RWA_MODEL_FILE_ERROR = 4, /* a file that is not a complete, valid model */
  RWA_DIVERGENCE_ERROR = 5, /* training produced non-finite values */
  RWA_INTERRUPTED = 6,      /* a callback stopped the training */
  RWA_RESOURCE_ERROR = 7    /* out of memory or disk space, or a file is inaccessible */
} rwa_result;

RWA_C_EXPORT int rwa_c_api_version(void);
RWA_C_EXPORT const char* rwa_version(void);
/* Returns the message of the calling thread's last failed call. */
RWA_C_EXPORT const char* rwa_last_error(void);
/* [{"name": "cuda:0", "description": …}, …], the CPU first. */
RWA_C_EXPORT rwa_result rwa_devices(const char** json);
/* The available recurrent cells: [{"name": "rwa-forget", "title": …, "description": …,
 *  "averages": true, "gates": "gafu", "initial_bias": [0, …], "spread": "f"}, …]
 * averages: the state is an average in which each step has a share
 * gates: the letters of the pre-activations in the cell's formula
 * initial_bias: the initial bias of each gate
 * spread: the gate whose biases are initialised to a range of half-lives, or null */
RWA_C_EXPORT rwa_result rwa_cells(const char** json);

/* -- Reference-counted memory, for DLPack ------------------------------------------------------ */

typedef struct rwa_buffer rwa_buffer;
/* Allocates zeroed memory, aligned to 64 bytes. It is freed with its last owner. */
RWA_C_EXPORT rwa_result rwa_buffer_new(size_t bytes, rwa_buffer** out);
RWA_C_EXPORT void rwa_buffer_free(rwa_buffer* buffer);
RWA_C_EXPORT void* rwa_buffer_data(const rwa_buffer* buffer);
/* Creates a DLManagedTensor over the start of the buffer, as one more owner. `code` and `bits` are
 * those of DLDataType. */
RWA_C_EXPORT rwa_result rwa_buffer_dlpack(rwa_buffer* buffer, uint8_t code, uint8_t bits, int ndim,
                                          const int64_t* shape, void** managed_tensor);
/* Destructor for a Python capsule named "dltensor": frees a tensor that no consumer has taken over.
 * Unlike a destructor written in Python, it preserves a pending exception. */
RWA_C_EXPORT void rwa_capsule_free(void* capsule);

/* -- Models: rwa/model.h ----------------------------------------------------------------------- */

typedef struct rwa_model rwa_model;
RWA_C_EXPORT rwa_result rwa_model_new(const char* config, rwa_model** out); /* ModelConfig */
/* Loads a model file, or the model in a run folder of `rwa train`. */
RWA_C_EXPORT rwa_result rwa_model_load(const char* path, rwa_model** out);
RWA_C_EXPORT rwa_result rwa_model_save(const rwa_model* model, const char* path);
RWA_C_EXPORT void rwa_model_free(rwa_model* model);
/* The complete ModelConfig. */
RWA_C_EXPORT rwa_result rwa_model_config(const rwa_model* model, const char** json);
/* The network part by part: [{"name", "what", "shape", "parameters"}, …]. */
RWA_C_EXPORT rwa_result rwa_model_describe(const rwa_model* model, const char** json);
/* All weights are stored in one block. Its layout: [{"name", "shape", "offset", "size"}, …]. */
RWA_C_EXPORT rwa_result rwa_model_parameters(const rwa_model* model, const char** json);
/* The address of the block is fixed for the model's lifetime. After training on a GPU, call this
 * again to bring its contents up to date. */
RWA_C_EXPORT rwa_result rwa_model_weights(const rwa_model* model, const float** values,
                                          size_t* count);
RWA_C_EXPORT rwa_result rwa_model_set_weights(rwa_model* model, const float* values, size_t count);
RWA_C_EXPORT rwa_result rwa_model_set_parameter(rwa_model* model, const char* name,
                                                const float* values, size_t count);
/* Strings stored with the model, as an object of texts by name. */
RWA_C_EXPORT rwa_result rwa_model_notes(const rwa_model* model, const char** json);
/* An empty text removes the note. */
RWA_C_EXPORT rwa_result rwa_model_set_note(rwa_model* model, const char* name, const char* text);

/* These structs carry no sizes: each array must have the shape given here. Pointers that the model
 * does not use must be NULL. */
typedef struct rwa_batch { /* BatchView */
  const float* x;          /* [T,B,D]; NULL if the input is symbols */
  const int32_t* symbols;  /* [T,B]; NULL if the input is features */
  const int32_t* lengths;  /* [B]; NULL: all T */
  int32_t steps;           /* T */
  int32_t batch;           /* B */
} rwa_batch;

typedef struct rwa_targets { /* TargetView */
  const int32_t* classes;    /* softmax: [B], [T,B], or [steps,B] with a decoder; else NULL */
  const float* values;       /* other losses: [B,O] or [T,B,O]; else NULL */
  const int32_t* lengths;    /* [B], of a decoder's targets; NULL: all `steps` */
  int32_t steps;             /* of a decoder's targets; else 0 */
} rwa_targets;

typedef struct rwa_session rwa_session;
/* SessionOptions: {"threads", "memory", "device", "share"} */
RWA_C_EXPORT rwa_result rwa_session_new(const rwa_model* model, const char* options,
                                        rwa_session** out);
RWA_C_EXPORT void rwa_session_free(rwa_session* session);
/* y: [B,O] or [T,B,O]. `count` is the size of y and must match exactly. */
RWA_C_EXPORT rwa_result rwa_session_run(rwa_session* session, const rwa_batch* batch, float* y,
                                        size_t count);
/* y may be NULL. */
RWA_C_EXPORT rwa_result rwa_session_loss(rwa_session* session, const rwa_batch* batch,
                                         const rwa_targets* targets, float* y, size_t count,
                                         double* loss);
/* Adds the gradient to `weights`, [parameters], and to `x`, [T,B,D], unless x is NULL. */
RWA_C_EXPORT rwa_result rwa_session_gradient(rwa_session* session, const rwa_batch* batch,
                                             const rwa_targets* targets, float* weights, float* x,
                                             double* loss);
RWA_C_EXPORT rwa_result rwa_session_shares(rwa_session* session, const rwa_batch* batch,
                                           float* shares, size_t count);

typedef struct rwa_stream rwa_stream;
RWA_C_EXPORT rwa_result rwa_stream_new(const rwa_model* model, rwa_stream** out);
RWA_C_EXPORT void rwa_stream_free(rwa_stream* stream);
RWA_C_EXPORT rwa_result rwa_stream_step(rwa_stream* stream, const float* x, size_t inputs, float* y,
                                        size_t outputs);
RWA_C_EXPORT rwa_result rwa_stream_step_symbol(rwa_stream* stream, int32_t symbol, float* y,
                                               size_t outputs);
RWA_C_EXPORT rwa_result rwa_stream_reset(rwa_stream* stream);
/* The state of all layers. The pointer is valid until the next step. */
RWA_C_EXPORT rwa_result rwa_stream_state(const rwa_stream* stream, const float** values,
                                         size_t* count);
RWA_C_EXPORT rwa_result rwa_stream_set_state(rwa_stream* stream, const float* values, size_t count);

typedef struct rwa_trainer rwa_trainer;
/* TrainerOptions and SessionOptions in one object:
 * {"learning_rate", "beta1", "beta2", "epsilon", "clip_norm", "truncate", "threads", …} */
RWA_C_EXPORT rwa_result rwa_trainer_new(rwa_model* model, const char* options, rwa_trainer** out);
RWA_C_EXPORT void rwa_trainer_free(rwa_trainer* trainer);
/* `loss` and `gradient_norm` may be NULL. */
RWA_C_EXPORT rwa_result rwa_trainer_step(rwa_trainer* trainer, const rwa_batch* batch,
                                         const rwa_targets* targets, double* loss,
                                         double* gradient_norm);
RWA_C_EXPORT rwa_result rwa_trainer_set_learning_rate(rwa_trainer* trainer, double rate);
/* Adam's first and second moments, [parameters] each. */
RWA_C_EXPORT rwa_result rwa_trainer_state(const rwa_trainer* trainer, int64_t* steps,
                                          const float** mean, const float** variance,
                                          size_t* count);
RWA_C_EXPORT rwa_result rwa_trainer_set_state(rwa_trainer* trainer, int64_t steps,
                                              const float* mean, const float* variance,
                                              size_t count);

/* -- A single recurrent layer, in the caller's memory: rwa/layer.h ----------------------------- */
/* For frameworks that compose and differentiate layers themselves. Pointers are to memory of the
 * layer's device. On a GPU the work runs in the order of `stream` (a cudaStream_t; NULL: the
 * default stream): after the work already enqueued there, before what is enqueued later. Threads
 * may share a layer; calls are serialised where necessary. A tape may be used from any thread, by
 * one at a time. */

typedef struct rwa_layer rwa_layer;
/* LayerConfig: {"cell", "activation", "inputs", "units", "reverse", "device", "threads",
 * "memory"} */
RWA_C_EXPORT rwa_result rwa_layer_new(const char* config, rwa_layer** out);
RWA_C_EXPORT void rwa_layer_free(rwa_layer* layer);
/* The parameters are one block, [parameters]: weight_x [X·H,D], weight_h [G·H,H], bias [B·H] and
 * start [H] (only for cells that learn their initial h, else [0]), one after the other.
 * {"parameters": n, "weight_x": [rows, columns], "weight_h": …, "bias": [rows], "start": [rows],
 *  "gates_x": ["i", "f", …], "gates_h": […], "gates_bias": […], "gates_start": […],
 *  "state": ["h", "r", …], "carried": ["h", "r", …]}
 * gates_x names the blocks of H rows of weight_x in order, by the letters of the cell's formula;
 * gates_h, gates_bias and gates_start name those of the other arrays. A state is [B, state, H].
 * Only its carried components have gradients: the rounding errors r_lo and L_lo of an rwa have
 * none. */
RWA_C_EXPORT rwa_result rwa_layer_describe(const rwa_layer* layer, const char** json);

typedef struct rwa_layer_input {
  const float* parameters;
  const float* x;         /* [T,B,D]; never read past a sequence's length */
  const int32_t* lengths; /* [B], in host memory; NULL: all T */
  const float* state;     /* [B, state, H]; NULL: the start of a sequence */
  int32_t steps;
  int32_t batch;
} rwa_layer_input;

typedef struct rwa_layer_output {
  float* h;     /* [T,B,H]; zero past a sequence's length; NULL: not computed */
  float* state; /* [B, state, H], after the last step; NULL: not computed */
} rwa_layer_output;

/* What a forward pass saves for its backward pass, weights included. May outlive its layer. */
typedef struct rwa_tape rwa_tape;
/* Creates a tape for one backward pass. If `tape` is NULL, nothing is saved. */
RWA_C_EXPORT rwa_result rwa_layer_forward(rwa_layer* layer, const rwa_layer_input* in,
                                          const rwa_layer_output* out, void* stream,
                                          rwa_tape** tape);

typedef struct rwa_layer_gradient {
  const float* h;     /* in: gradient of out.h, [T,B,H]; NULL: zero */
  const float* state; /* in: gradient of out.state, [B, carried, H]; NULL: zero */
  float* parameters;  /* out (overwritten): [parameters] */
  float* x;           /* out (overwritten): [T,B,D], zero past a length; NULL: not computed */
  float* initial;     /* out (overwritten): of in.state, [B, carried, H]; NULL: not computed */
} rwa_layer_gradient;
/* `in` must be the input of the forward pass, with x and state unchanged; parameters and lengths
 * are ignored. A tape can be used once: a second call returns RWA_INPUT_ERROR. */
RWA_C_EXPORT rwa_result rwa_layer_backward(rwa_tape* tape, const rwa_layer_input* in,
                                           const rwa_layer_gradient* gradient, void* stream);
RWA_C_EXPORT void rwa_tape_free(rwa_tape* tape);

/* -- Data sets of sequences, and the program's workflows --------------------------------------- */

typedef struct rwa_sequences rwa_sequences;
/* Reads the sequences of all files, as `rwa inspect` does. {"format", "layout", "task", "target",
 * "features", "id", "time", "label_from", "kmer", "tokens", "lower"}: see `rwa train --help`;
 * "target" and "features" are arrays. */
RWA_C_EXPORT rwa_result rwa_read(const char* const* paths, size_t count, const char* options,
                                 rwa_sequences** out);
/* Creates an empty list for rwa_sequences_add(). {"input": "numbers" or "symbols",
 * "features": ["x0", …], "task": "class", "targets": ["y"]} */
RWA_C_EXPORT rwa_result rwa_sequences_new(const char* schema, rwa_sequences** out);
RWA_C_EXPORT void rwa_sequences_free(rwa_sequences* sequences);

typedef struct rwa_sequence {
  const char* id;         /* NULL: the sequence's number, from 1 */
  int32_t steps;          /* T */
  const float* x;         /* [T,D], NaN: missing; NULL if the input is symbols */
  const int32_t* symbols; /* [T], indices into the list of symbols; else NULL */
  /* The target, in the form of the task. Without a target both counts are 0. */
  const int32_t* labels; /* indices into the list of labels: one, [T], or any number */
  size_t label_count;
  const float* values; /* [targets] or [T,targets] */
  size_t value_count;
} rwa_sequence;
RWA_C_EXPORT rwa_result rwa_sequences_count(const rwa_sequences* sequences, size_t* count);
/* {"format", "layout", "input", "features", "task", "targets", "symbols": [...], "labels": [...],
 * "findings": {"columns": [{"name", "role", "why"}, …], "task": why it is so, "warnings": [...]}}.
 * Indices refer to symbols and labels. */
RWA_C_EXPORT rwa_result rwa_sequences_describe(const rwa_sequences* sequences, const char** json);
/* Appends to the lists of symbols and labels. Every word must be new to its list. */
RWA_C_EXPORT rwa_result rwa_sequences_add_words(rwa_sequences* sequences,
                                                const char* const* symbols, size_t symbol_count,
                                                const char* const* labels, size_t label_count);
/* The pointers are valid until the list is added to or freed. */
RWA_C_EXPORT rwa_result rwa_sequences_get(const rwa_sequences* sequences, size_t number,
                                          rwa_sequence* out);
RWA_C_EXPORT rwa_result rwa_sequences_add(rwa_sequences* sequences, const rwa_sequence* sequence);

/* What a listener returns: continue; finish now and keep what was learnt; abort, which makes the
 * training return RWA_INTERRUPTED. */
typedef enum rwa_wish { RWA_GO_ON = 0, RWA_FINISH = 1, RWA_GIVE_UP = 2 } rwa_wish;
/* Called for every evaluation, and at intervals in between, with {"run", "step", "steps", "loss",
 * "score": null or a line of metrics.jsonl, "seconds_left"}. It runs on the training thread: the
 * caller's, and other threads too if "jobs" is above 1; never two calls at once. With several runs,
 * RWA_FINISH ends the current run and all later ones, each with what it has learnt by then. */
typedef int (*rwa_listener)(void* user, const char* progress);
/* All training settings: [{"name", "table", "group", "help", "kind", "choices", "default",
 * "of_sequences": whether the functions below accept it; otherwise it is for files only}, …]. */
RWA_C_EXPORT rwa_result rwa_settings(const char** json);
/* `rwa train` on sequences in memory. Nothing is written to disk. Options: settings by name, and
 * {"threads", "time_budget": seconds}. `valid` and `summary` may be NULL. `summary`: {"status",
 * "end": "steps", "patience", "time" or "stopped", "steps", "best_step", "parameters", "seconds",
 * "settings": {all by name}, "history": [lines of metrics.jsonl], "notes": [...],
 * "scores" on held-out data as in `rwa evaluate --json`, "baselines": [scores, each with a "name"],
 * "remark": that the model is not better than its best baseline, or empty}. */
RWA_C_EXPORT rwa_result rwa_train(const rwa_sequences* train, const rwa_sequences* valid,
                                  const char* options, rwa_listener listener, void* user,
                                  rwa_model** out, const char** summary);
/* The results and models of several runs. */
typedef struct rwa_runs rwa_runs;
/* `rwa train --folds`, without its last run on all data: one run per fold, in order. Options as for rwa_train(), and {"folds": 5,
 * "repeat": 1, "jobs": 1}. */
RWA_C_EXPORT rwa_result rwa_cross_validate(const rwa_sequences* sequences, const char* options,
                                           rwa_listener listener, void* user, rwa_runs** out);
/* `rwa tune`: all candidates, the best first. Options as for rwa_train(), and {"candidates", "folds",
 * "jobs"}, with the defaults of `rwa tune`. The search keeps the settings given here fixed.
 * "time_budget" (default: 600) covers the whole search. */
RWA_C_EXPORT rwa_result rwa_tune(const rwa_sequences* train, const rwa_sequences* valid,
                                 const char* options, rwa_listener listener, void* user,
                                 rwa_runs** out);
/* [{"run": its title, "settings", "end", "steps", …, "history"}, …]. Cross-validation adds
 * "scores", "baselines" and "remark", as rwa_train() has them. Tuning adds "loss", the best
 * validation loss or the mean over the folds, or null; with folds also "scores", their means, and
 * "expected", and "has_model", which is false for all but the first. */
RWA_C_EXPORT rwa_result rwa_runs_describe(const rwa_runs* runs, const char** json);
RWA_C_EXPORT rwa_result rwa_runs_model(const rwa_runs* runs, size_t number, rwa_model** out);
RWA_C_EXPORT void rwa_runs_free(rwa_runs* runs);
/* The data that the model was trained on: {"task", "outputs": [names], "every_step", "input",
 * "features", "symbols"}. RWA_MODEL_FILE_ERROR if the model was not trained on sequences. */
RWA_C_EXPORT rwa_result rwa_model_data(const rwa_model* model, const char** json);
/* Predictions: probabilities, or values in the unit of the data. Those of sequence i are
 * values[offsets[i] * O … offsets[i + 1] * O), one row for the sequence or one per step. If the
 * model cuts sequences into windows, a sequence gets the mean over its windows, and a step the
 * prediction of the first window that contains it. Options: {"batch", "threads", "device"} */
typedef struct rwa_predictions rwa_predictions;
RWA_C_EXPORT rwa_result rwa_predict(const rwa_model* model, const rwa_sequences* sequences,
                                    const char* options, rwa_predictions** out);
RWA_C_EXPORT rwa_result rwa_predictions_get(const rwa_predictions* predictions,
                                            const float** values, const int64_t** offsets,
                                            size_t* sequences);
RWA_C_EXPORT void rwa_predictions_free(rwa_predictions* predictions);

/* -- Export and import ------------------------------------------------------------------------- */

/* {"step": false}: see `rwa export --help`. */
RWA_C_EXPORT rwa_result rwa_export_onnx(const rwa_model* model, const char* path,
                                        const char* options);
/* Writes a Python file, and its weights next to it. */
RWA_C_EXPORT rwa_result rwa_export_torch(const rwa_model* model, const char* path);
/* Loads the LSTM or GRU weights of a PyTorch model from a safetensors file. {"rnn", "head",
 * "embedding", "no_head", "readout", "loss"}: see `rwa import --help`. If `data` is not NULL, the
 * model can predict for such sequences; then also {"labels", "symbols", "standardise", "missing"}.
 */
RWA_C_EXPORT rwa_result rwa_import_torch(const char* path, const rwa_sequences* data,
                                         const char* options, rwa_model** out);

#ifdef __cplusplus
}
#endif
#endif
