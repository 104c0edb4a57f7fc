/* include/rwa/c_api.h: the library and the program's own work as C functions, for other languages.
 *
 * Every function that can fail returns an rwa_result: RWA_OK, or what went wrong, and then
 * rwa_last_error() has the words; what it would have written is left alone. Handles are opaque, made by
 * functions that end in _new, _load or the like, and given back with the one that ends in _free, which
 * takes NULL. Descriptions and options are JSON objects whose fields have the names of the C++ structs;
 * what is left out is as it is there, what is unknown is refused. NULL is the same as "{}". Texts are
 * UTF-8; one that comes back lives until this thread's next call. Arrays are row-major, last index
 * fastest: T steps, B sequences, D features, H units, O outputs; sequences are [T,B,.].
 *
 * A handle may be used by one thread at a time, different handles by different ones; a model may be
 * read by many while none changes it. A model lives as long as something made from it.
 */
#ifndef RWA_C_API_H
#define RWA_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RWA_C_EXPORT __attribute__((visibility("default")))

/* Raised by one when something that was here changes or goes; what is new does not raise it. */
#define RWA_C_API_VERSION 1

/* The numbers of the program's exit statuses. */
typedef enum rwa_result {
  RWA_OK = 0,
  RWA_INTERNAL_ERROR = 1,   /* a mistake in the library */
  RWA_CONFIG_ERROR = 2,     /* a description or an option that cannot be */
  RWA_INPUT_ERROR = 3,      /* data that does not fit the model or itself */
  RWA_MODEL_FILE_ERROR = 4, /* a file that is not a whole and valid model */
  RWA_DIVERGENCE_ERROR = 5, /* training left the finite numbers */
  RWA_INTERRUPTED = 6,      /* a callback asked to stop */
  RWA_RESOURCE_ERROR = 7    /* memory, disk or a file is missing */
} rwa_result;

RWA_C_EXPORT int rwa_c_api_version(void);
RWA_C_EXPORT const char* rwa_version(void);
/* Of this thread's last call that failed. */
RWA_C_EXPORT const char* rwa_last_error(void);
/* A JSON array of {"name": "cuda:0", "description": …}, the CPU first. */
RWA_C_EXPORT rwa_result rwa_devices(const char** json);
/* A JSON array of the cells that a layer can be made of: {"name": "rwa-forget", "title": …, "description": …,
 * "averages": true, "gates": "gafu", "initial_bias": [0, …], "spread": "f"}
 * averages: each step has a share of the state; gates: the letters of the formula's pre-activations, and
 * initial_bias what the bias of each starts with; spread: the gate whose biases start as half-lives of many
 * lengths, or null. */
RWA_C_EXPORT rwa_result rwa_cells(const char** json);

/* -- Memory that several owners may share, as DLPack wants it ------------------------------------ */

typedef struct rwa_buffer rwa_buffer;
RWA_C_EXPORT rwa_result rwa_buffer_new(size_t bytes,
                                       rwa_buffer** out); /* zeros, aligned to 64 bytes */
RWA_C_EXPORT void rwa_buffer_free(rwa_buffer* buffer);    /* the memory goes with its last owner */
RWA_C_EXPORT void* rwa_buffer_data(const rwa_buffer* buffer);
/* A DLManagedTensor of its beginning, a further owner: `code` and `bits` are DLDataType's. */
RWA_C_EXPORT rwa_result rwa_buffer_dlpack(rwa_buffer* buffer, uint8_t code, uint8_t bits, int ndim,
                                          const int64_t* shape, void** managed_tensor);
/* The destructor of a capsule "dltensor" of Python, for Python to call: frees a tensor that nobody has
 * taken over. It leaves an exception that is on its way alone, as a function of Python's could not. */
RWA_C_EXPORT void rwa_capsule_free(void* capsule);

/* -- Models: rwa/model.h ------------------------------------------------------------------------- */

typedef struct rwa_model rwa_model;
RWA_C_EXPORT rwa_result rwa_model_new(const char* config, rwa_model** out); /* ModelConfig */
/* From its file, or from the folder that `rwa train` has written it to. */
RWA_C_EXPORT rwa_result rwa_model_load(const char* path, rwa_model** out);
RWA_C_EXPORT rwa_result rwa_model_save(const rwa_model* model, const char* path);
RWA_C_EXPORT void rwa_model_free(rwa_model* model);
/* The whole description; and its parts, an array of {"name", "what", "shape", "parameters"}. */
RWA_C_EXPORT rwa_result rwa_model_config(const rwa_model* model, const char** json);
RWA_C_EXPORT rwa_result rwa_model_describe(const rwa_model* model, const char** json);
/* All weights lie in one block, which stays where it is as long as the model lives; an array of
 * {"name", "shape", "offset", "size"} says where. After training on a GPU, ask for them again. */
RWA_C_EXPORT rwa_result rwa_model_parameters(const rwa_model* model, const char** json);
RWA_C_EXPORT rwa_result rwa_model_weights(const rwa_model* model, const float** values,
                                          size_t* count);
RWA_C_EXPORT rwa_result rwa_model_set_weights(rwa_model* model, const float* values, size_t count);
RWA_C_EXPORT rwa_result rwa_model_set_parameter(rwa_model* model, const char* name,
                                                const float* values, size_t count);
/* An object of texts by name. An empty text takes the note away. */
RWA_C_EXPORT rwa_result rwa_model_notes(const rwa_model* model, const char** json);
RWA_C_EXPORT rwa_result rwa_model_set_note(rwa_model* model, const char* name, const char* text);

/* These carry no sizes: there must be as many numbers behind each pointer as its shape says. What the
 * model does not take must be NULL. */
typedef struct rwa_batch { /* BatchView */
  const float* x;          /* [T,B,D]; NULL where the input is symbols */
  const int32_t* symbols;  /* [T,B], else NULL */
  const int32_t* lengths;  /* [B]; NULL: all are T */
  int32_t steps;           /* T */
  int32_t batch;           /* B */
} rwa_batch;

typedef struct rwa_targets { /* TargetView */
  const int32_t* classes;    /* for softmax: [B], [T,B], or a decoder's [steps,B]; else NULL */
  const float* values;       /* for the others, [B,O] or [T,B,O]; else NULL */
  const int32_t* lengths;    /* of a decoder's targets; NULL: all are `steps` */
  int32_t steps;             /* of a decoder's targets, else 0 */
} rwa_targets;

typedef struct rwa_session rwa_session;
/* SessionOptions: {"threads", "memory", "device", "share"} */
RWA_C_EXPORT rwa_result rwa_session_new(const rwa_model* model, const char* options,
                                        rwa_session** out);
RWA_C_EXPORT void rwa_session_free(rwa_session* session);
/* y: [B,O] or [T,B,O]; `count` is how many numbers there is room for, and must be what is written. */
RWA_C_EXPORT rwa_result rwa_session_run(rwa_session* session, const rwa_batch* batch, float* y,
                                        size_t count);
/* y may be NULL. */
RWA_C_EXPORT rwa_result rwa_session_loss(rwa_session* session, const rwa_batch* batch,
                                         const rwa_targets* targets, float* y, size_t count,
                                         double* loss);
/* Adds to `weights`, [parameters], and to `x`, [T,B,D], unless that is NULL. */
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
/* Of all layers; as it is until the next step. */
RWA_C_EXPORT rwa_result rwa_stream_state(const rwa_stream* stream, const float** values,
                                         size_t* count);
RWA_C_EXPORT rwa_result rwa_stream_set_state(rwa_stream* stream, const float* values, size_t count);

typedef struct rwa_trainer rwa_trainer;
/* TrainerOptions, with those of its session beside them:
 * {"learning_rate", "beta1", "beta2", "epsilon", "clip_norm", "truncate", "threads", …} */
RWA_C_EXPORT rwa_result rwa_trainer_new(rwa_model* model, const char* options, rwa_trainer** out);
RWA_C_EXPORT void rwa_trainer_free(rwa_trainer* trainer);
/* `loss` and `gradient_norm` may be NULL. */
RWA_C_EXPORT rwa_result rwa_trainer_step(rwa_trainer* trainer, const rwa_batch* batch,
                                         const rwa_targets* targets, double* loss,
                                         double* gradient_norm);
RWA_C_EXPORT rwa_result rwa_trainer_set_learning_rate(rwa_trainer* trainer, double rate);
/* Adam's means and variances, [parameters] each. */
RWA_C_EXPORT rwa_result rwa_trainer_state(const rwa_trainer* trainer, int64_t* steps,
                                          const float** mean, const float** variance,
                                          size_t* count);
RWA_C_EXPORT rwa_result rwa_trainer_set_state(rwa_trainer* trainer, int64_t steps,
                                              const float* mean, const float* variance,
                                              size_t count);

/* -- One recurrent layer, one way, in the caller's memory: rwa/layer.h --------------------------- */
/* For frameworks that compose and differentiate themselves. Pointers are to the memory of the layer's
 * device; on a GPU the work is ordered after what `stream` (a cudaStream_t; NULL: the default one) was
 * asked for before, and before what it is asked for afterwards. Numbers are floats. Threads may share
 * a layer: calls take turns where they must. A tape is used by one thread at a time, by any. */

typedef struct rwa_layer rwa_layer;
/* LayerConfig: {"cell", "activation", "inputs", "units", "reverse", "device", "threads", "memory"} */
RWA_C_EXPORT rwa_result rwa_layer_new(const char* config, rwa_layer** out);
RWA_C_EXPORT void rwa_layer_free(rwa_layer* layer);
/* Its parameters are one block, [parameters], in which weight_x [X·H,D], weight_h [G·H,H], bias [B·H]
 * and start [H] (of a cell that learns it, else [0]) follow each other:
 * {"parameters": n, "weight_x": [rows, columns], "weight_h": …, "bias": [rows], "start": [rows],
 *  "gates_x": ["i", "f", …], "gates_h": […], "gates_bias": […], "gates_start": […],
 *  "state": ["h", "r", …], "carried": ["h", "r", …]}
 * gates_x are the blocks of H rows of weight_x in their order, by the letters of the cell's formula; the
 * others those of weight_h, bias and start. A state is [B, state, H], of which the carried ones, in that order,
 * have gradients: of an rwa not the rounding errors r_lo and L_lo. */
RWA_C_EXPORT rwa_result rwa_layer_describe(const rwa_layer* layer, const char** json);

typedef struct rwa_layer_input {
  const float* parameters;
  const float* x;         /* [T,B,D]; past a sequence's length never read */
  const int32_t* lengths; /* [B], in the host's memory; NULL: all are T */
  const float* state;     /* [B, state, H]; NULL: the start of a sequence */
  int32_t steps;
  int32_t batch;
} rwa_layer_input;

typedef struct rwa_layer_output {
  float* h;     /* [T,B,H]; zeros past a sequence's length; NULL: not wanted */
  float* state; /* [B, state, H], after the last step; NULL: not wanted */
} rwa_layer_output;

/* What forward leaves for backward, the weights with it. May outlive its layer. */
typedef struct rwa_tape rwa_tape;
/* With `tape`, one is made, for one backward; with NULL nothing is kept. */
RWA_C_EXPORT rwa_result rwa_layer_forward(rwa_layer* layer, const rwa_layer_input* in,
                                          const rwa_layer_output* out, void* stream,
                                          rwa_tape** tape);

typedef struct rwa_layer_gradient {
  const float* h;     /* in: of out.h, [T,B,H]; NULL: none */
  const float* state; /* in: of out.state, [B, carried, H]; NULL: none */
  float* parameters;  /* out, written: [parameters] */
  float* x;           /* out, written: [T,B,D], zeros past a sequence's length; NULL: not wanted */
  float* initial;     /* out, written: [B, carried, H] of in.state; NULL: not wanted */
} rwa_layer_gradient;
/* `in` is that of the forward: x and state still have their contents, parameters and lengths are not
 * looked at. RWA_INPUT_ERROR the second time: forward again. */
RWA_C_EXPORT rwa_result rwa_layer_backward(rwa_tape* tape, const rwa_layer_input* in,
                                           const rwa_layer_gradient* gradient, void* stream);
RWA_C_EXPORT void rwa_tape_free(rwa_tape* tape);

/* -- Sequences, and what the program does with them ---------------------------------------------- */

typedef struct rwa_sequences rwa_sequences;
/* All of these files, as `rwa inspect` sees them. {"format", "layout", "task", "target", "features",
 * "id", "time", "label_from", "kmer"}: see `rwa train --help`; "target" and "features" are arrays. */
RWA_C_EXPORT rwa_result rwa_read(const char* const* paths, size_t count, const char* options,
                                 rwa_sequences** out);
/* An empty list, to be added to: {"input": "numbers" or "symbols", "features": ["x0", …],
 * "task": "class", "targets": ["y"]}. */
RWA_C_EXPORT rwa_result rwa_sequences_new(const char* schema, rwa_sequences** out);
RWA_C_EXPORT void rwa_sequences_free(rwa_sequences* sequences);

typedef struct rwa_sequence {
  const char* id;         /* NULL: its number, from 1 */
  int32_t steps;          /* T */
  const float* x;         /* [T,D], NaN: missing; NULL for symbols */
  const int32_t* symbols; /* [T]: places in the list of symbols; else NULL */
  /* The answer, as the task says; where there is none, both counts are 0. */
  const int32_t* labels; /* places in the list of labels: one, [T], or any number of them */
  size_t label_count;
  const float* values; /* [targets] or [T,targets] */
  size_t value_count;
} rwa_sequence;
RWA_C_EXPORT rwa_result rwa_sequences_count(const rwa_sequences* sequences, size_t* count);
/* {"format", "layout", "input", "features", "task", "targets"}, and the words that places are in:
 * {"symbols": [...], "labels": [...]}. */
RWA_C_EXPORT rwa_result rwa_sequences_describe(const rwa_sequences* sequences, const char** json);
/* Further words for the sequences that are added next, each of them new. */
RWA_C_EXPORT rwa_result rwa_sequences_add_words(rwa_sequences* sequences,
                                                const char* const* symbols, size_t symbol_count,
                                                const char* const* labels, size_t label_count);
/* Pointers live as long as the list does and is not added to. */
RWA_C_EXPORT rwa_result rwa_sequences_get(const rwa_sequences* sequences, size_t number,
                                          rwa_sequence* out);
RWA_C_EXPORT rwa_result rwa_sequences_add(rwa_sequences* sequences, const rwa_sequence* sequence);

/* What a listener says: go on; come to an end, with what has been learnt; give up, which is
 * RWA_INTERRUPTED. */
typedef enum rwa_wish { RWA_GO_ON = 0, RWA_FINISH = 1, RWA_GIVE_UP = 2 } rwa_wish;
/* Told of every score, and else now and then: {"run", "step", "steps", "loss", "score": null or a line of
 * metrics.jsonl, "seconds_left"}. Called by the thread that trains: the caller's, or with
 * "jobs" above 1 also others, one at a time. Of several runs, RWA_FINISH ends the one that is under
 * way and those after it, each with what it has learnt by then. */
typedef int (*rwa_listener)(void* user, const char* progress);
/* All settings of a training: [{"name", "table", "group", "help", "kind", "choices", "default",
 * "of_sequences": whether it is one of those that follow, and not of files}]. */
RWA_C_EXPORT rwa_result rwa_settings(const char** json);
/* What `rwa train` does with files, with sequences; nothing is written. Options are settings by name,
 * and {"threads", "time_budget": seconds}. `valid` may be NULL. `summary` may be, too: {"end":
 * "steps", "patience", "time" or "asked", "steps", "best_step", "parameters", "seconds", "settings":
 * {all by name}, "notes": [...], "history": [lines of metrics.jsonl]}. */
RWA_C_EXPORT rwa_result rwa_train(const rwa_sequences* train, const rwa_sequences* valid,
                                  const char* options, rwa_listener listener, void* user,
                                  rwa_model** out, const char** summary);
/* Several runs: what became of them, and their models. */
typedef struct rwa_runs rwa_runs;
/* `rwa train --folds`: a run for each fold, in their order. Options as rwa_train(), and {"folds": 5,
 * "repeat": 1, "jobs": 1}. */
RWA_C_EXPORT rwa_result rwa_cross_validate(const rwa_sequences* sequences, const char* options,
                                           rwa_listener listener, void* user, rwa_runs** out);
/* `rwa tune`: all candidates, the best first. Options as rwa_train(), which are left alone in the
 * search, "time_budget" for all of it (600), and {"candidates": 9, "jobs": 1}. */
RWA_C_EXPORT rwa_result rwa_tune(const rwa_sequences* train, const rwa_sequences* valid,
                                 const char* options, rwa_listener listener, void* user,
                                 rwa_runs** out);
/* [{"run": its title, "settings", "end", "steps", …, "history"}]; of cross-validation with "scores"
 * as `rwa evaluate --json` has them, of tuning with "loss", the best in validation, or null. */
RWA_C_EXPORT rwa_result rwa_runs_describe(const rwa_runs* runs, const char** json);
RWA_C_EXPORT rwa_result rwa_runs_model(const rwa_runs* runs, size_t number, rwa_model** out);
RWA_C_EXPORT void rwa_runs_free(rwa_runs* runs);
/* What the model knows of the data it was trained on: {"task", "outputs": [names], "every_step",
 * "input", "features", "symbols"}. RWA_MODEL_FILE_ERROR where it was not trained on sequences. */
RWA_C_EXPORT rwa_result rwa_model_answers(const rwa_model* model, const char** json);
/* The answers: probabilities, or numbers in their own unit. Of sequence i they are
 * values[offsets[i] * O … offsets[i + 1] * O), a row for the sequence or one for each step. Of one
 * that the model sees in windows: the mean of theirs, or for each step that of the first window with
 * it. {"batch", "threads", "device"} */
typedef struct rwa_answers rwa_answers;
RWA_C_EXPORT rwa_result rwa_predict(const rwa_model* model, const rwa_sequences* sequences,
                                    const char* options, rwa_answers** out);
RWA_C_EXPORT rwa_result rwa_answers_get(const rwa_answers* answers, const float** values,
                                        const int64_t** offsets, size_t* sequences);
RWA_C_EXPORT void rwa_answers_free(rwa_answers* answers);

/* -- Other programs' formats --------------------------------------------------------------------- */

/* {"step": false}: see `rwa export --help`. */
RWA_C_EXPORT rwa_result rwa_export_onnx(const rwa_model* model, const char* path,
                                        const char* options);
/* A Python file, and its weights beside it. */
RWA_C_EXPORT rwa_result rwa_export_torch(const rwa_model* model, const char* path);
/* LSTM or GRU weights of PyTorch in a safetensors file. {"rnn", "head", "embedding", "no_head",
 * "readout", "loss"}: see `rwa import --help`. */
RWA_C_EXPORT rwa_result rwa_import_torch(const char* path, const char* options, rwa_model** out);

#ifdef __cplusplus
}
#endif
#endif
