/*===- kiln-c/Runtime.h - Run compiled programs from C ----------------------===*\
|*                                                                            *|
|* Part of the Kiln project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Packages that kiln-compile has written, from plain C99, with               *|
|* libkiln-c-runtime.so alone: no LLVM, no compiler, no Python.               *|
|*                                                                            *|
|*   KilnModel *model;                                                        *|
|*   KilnStatus *status = kilnModelOpen("model.kiln", NULL, &model);          *|
|*   if (status) {                                                            *|
|*     fprintf(stderr, "%s\n", kilnStatusText(status));                       *|
|*     kilnStatusDestroy(status);                                             *|
|*     return 1;                                                              *|
|*   }                                                                        *|
|*   float x[8] = {...};                                                      *|
|*   int64_t sizes[] = {2, 4};                                                *|
|*   KilnTensor *input;                                                       *|
|*   kilnTensorBorrow(x, sizeof x, KILN_DTYPE_F32, 2, sizes, NULL, NULL,      *|
|*                    NULL, &input);                                          *|
|*   KilnValue in = kilnTensorValue(input), out;                              *|
|*   kilnModelRun(model, &in, 1, &out, 1);                                    *|
|*   const float *y = kilnTensorData(out.as.tensor);                          *|
|*                                                                            *|
|* Errors. A function that can fail returns a KilnStatus: NULL is success,    *|
|* anything else has a code and a sentence and belongs to the caller, who     *|
|* destroys it. What such a function should have written is then NULL, none   *|
|* or 0. No function throws, ends the process, or writes to standard output.  *|
|*                                                                            *|
|* Ownership. What a function hands out through a pointer to a handle belongs *|
|* to the caller, who destroys it, in any order: handles keep what they need. *|
|* Destroying NULL does nothing. Descriptions (KilnValueInfo, texts) belong   *|
|* to the handle that they were asked of and live as long.                    *|
|*                                                                            *|
|* Threads. Different handles may be used from different threads at once. One *|
|* model may be run from several threads at once, too; calls that change it   *|
|* (weights, training steps, checkpoints, programs that update buffers) wait  *|
|* for each other and for those that run. A tensor handle may be read from    *|
|* several threads; nobody may destroy it meanwhile.                          *|
|*                                                                            *|
|* Versions. Symbols have the version KILN_C_1. A later minor version adds    *|
|* functions and fields at the end of structs that begin with `structSize` or *|
|* that the library owns; what is here keeps its meaning.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef KILN_C_RUNTIME_H
#define KILN_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KILN_C_EXPORT __attribute__((visibility("default")))
#else
#define KILN_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_C_VERSION_MAJOR 1
#define KILN_C_VERSION_MINOR 0

/** The version of the library that is loaded: major * 1000 + minor. */
KILN_C_EXPORT uint32_t kilnVersion(void);
/** Kiln's own version and build, for people: "kiln 0.1.0". */
KILN_C_EXPORT const char *kilnVersionText(void);

/*===----------------------------------------------------------------------===*\
|* Errors                                                                     *|
\*===----------------------------------------------------------------------===*/

typedef struct KilnStatus KilnStatus;

typedef enum KilnCode {
  KILN_OK = 0,
  KILN_USAGE = 2,       /**< an argument means nothing; the caller's mistake */
  KILN_MALFORMED = 3,   /**< bytes contradict their format, or are damaged */
  KILN_UNSUPPORTED = 4, /**< right, but not here: a processor, an operator */
  KILN_INTERNAL = 5,    /**< a bug of Kiln */
  KILN_IO = 6,          /**< the operating system refused */
  KILN_GUARD = 7,       /**< the program was not compiled for these inputs */
  KILN_NO_MEMORY = 8
} KilnCode;

/** KILN_OK for NULL. */
KILN_C_EXPORT KilnCode kilnStatusCode(const KilnStatus *status);
/** One sentence: what was found, what was expected. "" for NULL. */
KILN_C_EXPORT const char *kilnStatusText(const KilnStatus *status);
/** Frees an error; the text that it gave goes with it. */
KILN_C_EXPORT void kilnStatusDestroy(KilnStatus *status);

/*===----------------------------------------------------------------------===*\
|* Tensors                                                                    *|
\*===----------------------------------------------------------------------===*/

/** Element types. New ones get new numbers. */
typedef enum KilnDType {
  KILN_DTYPE_NONE = 0,
  KILN_DTYPE_BOOL = 1, /**< a byte, 0 or 1 */
  KILN_DTYPE_U8 = 2,
  KILN_DTYPE_I8 = 3,
  KILN_DTYPE_I16 = 4,
  KILN_DTYPE_I32 = 5,
  KILN_DTYPE_I64 = 6,
  KILN_DTYPE_F16 = 7,
  KILN_DTYPE_BF16 = 8,
  KILN_DTYPE_F32 = 9,
  KILN_DTYPE_F64 = 10,
  KILN_DTYPE_C64 = 11,  /**< two f32: real, imaginary */
  KILN_DTYPE_C128 = 12, /**< two f64 */
  KILN_DTYPE_U16 = 13,
  KILN_DTYPE_U32 = 14,
  KILN_DTYPE_U64 = 15,
  KILN_DTYPE_F8E4M3FN = 16,
  KILN_DTYPE_F8E5M2 = 17,
  KILN_DTYPE_C32 = 18,
  KILN_DTYPE_F8E4M3FNUZ = 19,
  KILN_DTYPE_F8E5M2FNUZ = 20,
  KILN_DTYPE_F8E8M0FNU = 21
} KilnDType;

/** Bytes of an element; 0 for a number that is no element type. */
KILN_C_EXPORT size_t kilnDTypeSize(KilnDType dtype);
/** "f32", "bool", ...; "" for a number that is no element type. */
KILN_C_EXPORT const char *kilnDTypeName(KilnDType dtype);

typedef struct KilnTensor KilnTensor;

/** Called once, from any thread, when borrowed memory is no longer used. */
typedef void (*KilnRelease)(void *user);

/**
 * A tensor over memory of the caller, which is not copied. `sizes` has `rank`
 * elements, `strides` as many, counted in elements and not negative, or is NULL
 * for row-major. `data` must be aligned for the element type, and all elements
 * lie in `bytes` bytes from there; else KILN_USAGE.
 *
 * The memory must stay valid, and may be written to only by those who may race
 * with nobody, until `release` is called with `user`: after the tensor was
 * destroyed, and with it every result of a call that shares its memory (an
 * output that is an input, or a view of one). Where `release` is NULL the caller
 * waits for just that: it destroys the results of calls first. If the function
 * fails, `release` is not called.
 *
 * A program that changes an input in place writes to this memory.
 */
KILN_C_EXPORT KilnStatus *
kilnTensorBorrow(void *data, size_t bytes, KilnDType dtype, size_t rank,
                 const int64_t *sizes, const int64_t *strides,
                 KilnRelease release, void *user, KilnTensor **tensor);

/** A row-major tensor with memory of its own, filled with zeros. */
KILN_C_EXPORT KilnStatus *kilnTensorCreate(KilnDType dtype, size_t rank,
                                           const int64_t *sizes,
                                           KilnTensor **tensor);
/** Gives the handle back. The memory stays as long as results share it. */
KILN_C_EXPORT void kilnTensorDestroy(KilnTensor *tensor);

/** The type of its elements. */
KILN_C_EXPORT KilnDType kilnTensorDType(const KilnTensor *tensor);
/** The number of its dimensions, 0 to 64. */
KILN_C_EXPORT size_t kilnTensorRank(const KilnTensor *tensor);
/** `rank` elements, which live as long as the tensor. */
KILN_C_EXPORT const int64_t *kilnTensorSizes(const KilnTensor *tensor);
/** The same, counted in elements. */
KILN_C_EXPORT const int64_t *kilnTensorStrides(const KilnTensor *tensor);
/** The first element. What a model gives may be shared with others and is read
 *  only, unless it is memory that the caller has passed. */
KILN_C_EXPORT void *kilnTensorData(const KilnTensor *tensor);
/** Number of elements. */
KILN_C_EXPORT int64_t kilnTensorElements(const KilnTensor *tensor);
/** Writes all elements row-major; `bytes` is the room, KILN_USAGE if it is not
 *  exactly theirs. */
KILN_C_EXPORT KilnStatus *kilnTensorCopyTo(const KilnTensor *tensor,
                                           void *target, size_t bytes);

/*===----------------------------------------------------------------------===*\
|* Values                                                                     *|
\*===----------------------------------------------------------------------===*/

typedef enum KilnValueKind {
  KILN_VALUE_NONE = 0,
  KILN_VALUE_TENSOR = 1,
  KILN_VALUE_BOOL = 2,   /**< as.integer, 0 or 1 */
  KILN_VALUE_INT = 3,    /**< as.integer */
  KILN_VALUE_FLOAT = 4,  /**< as.real */
  KILN_VALUE_COMPLEX = 5 /**< as.complex: real and imaginary part */
} KilnValueKind;

/** An argument or a result. It owns nothing: the tensors of results belong to
 *  the caller all the same, see kilnValuesDestroy. */
typedef struct KilnValue {
  KilnValueKind kind;
  union {
    KilnTensor *tensor;
    int64_t integer;
    double real;
    double complex[2];
  } as;
} KilnValue;

/** A tensor as an argument; the handle stays the caller's. */
static inline KilnValue kilnTensorValue(KilnTensor *tensor) {
  KilnValue value;
  value.kind = KILN_VALUE_TENSOR;
  value.as.tensor = tensor;
  return value;
}
/** An integer as an argument. */
static inline KilnValue kilnIntValue(int64_t integer) {
  KilnValue value;
  value.kind = KILN_VALUE_INT;
  value.as.integer = integer;
  return value;
}

/** Destroys the tensors among `count` values and makes all of them none. */
KILN_C_EXPORT void kilnValuesDestroy(KilnValue *values, size_t count);

/*===----------------------------------------------------------------------===*\
|* Models                                                                     *|
\*===----------------------------------------------------------------------===*/

/** An opened package with its weights. */
typedef struct KilnModel KilnModel;

typedef struct KilnModelOptions {
  size_t structSize;  /**< sizeof(KilnModelOptions) */
  uint32_t threads;   /**< 0: as many as this process may use */
  const char *target; /**< the variant to run; NULL: the best that can run */
  uint64_t seed;      /**< of the random numbers that training steps draw */
  const char *device; /**< "cuda" or "cuda:1", a GPU; NULL or "cpu": the processor */
  int graphs; /**< a GPU is asked for kernels that follow each other at once, from the
                   third call with the same sizes on; 0: one by one */
} KilnModelOptions;

/** All fields at their defaults. */
static inline KilnModelOptions kilnModelOptionsDefault(void) {
  KilnModelOptions options;
  options.structSize = sizeof(KilnModelOptions);
  options.threads = 0;
  options.target = NULL;
  options.seed = 0;
  options.device = NULL;
  options.graphs = 1;
  return options;
}

/**
 * Opens a package, for training if it was compiled for it. KILN_MALFORMED for
 * bytes that are none, or of another version; KILN_UNSUPPORTED if no variant runs
 * on this processor or GPU, or there is no driver for one; KILN_USAGE for a GPU of a
 * number that there is not. NULL options are the defaults. What goes in and comes out
 * of a model on a GPU is on the host; weights are copied to it once.
 * Weights are read from the file while the model is there: who changes the file
 * replaces it, and does not write into it.
 */
KILN_C_EXPORT KilnStatus *kilnModelOpen(const char *path,
                                        const KilnModelOptions *options,
                                        KilnModel **model);
/** The same from memory, which is copied. */
KILN_C_EXPORT KilnStatus *kilnModelRead(const void *bytes, size_t size,
                                        const KilnModelOptions *options,
                                        KilnModel **model);
/** Gives the model back; results of its calls stay. */
KILN_C_EXPORT void kilnModelDestroy(KilnModel *model);

/** What the package was compiled for: the variant that runs, "x86-64-v4"; "" if
 *  it has no native code. */
KILN_C_EXPORT const char *kilnModelTarget(const KilnModel *model);
/** The targets of all variants in the file; NULL from their number on. */
KILN_C_EXPORT const char *kilnModelVariant(const KilnModel *model,
                                           size_t index);
/** 1 if steps or gradients can be had of it. */
KILN_C_EXPORT int kilnModelIsTraining(const KilnModel *model);

/** A size of an input, output or weight. */
typedef struct KilnDimension {
  int64_t size;     /**< -1 if it is known when the model is called */
  const char *text; /**< "64", "s77", "2*s77 + 1" */
} KilnDimension;

/** The signature of a value. */
typedef struct KilnValueInfo {
  KilnValueKind kind;
  KilnDType dtype;    /**< of a tensor */
  const char *name;   /**< in the graph, or the weight's: "x", "fc.weight" */
  const char *path;   /**< its place in nested arguments: "[0][0]"; may be "" */
  size_t rank;        /**< of a tensor */
  const KilnDimension *dimensions;
  int isConstant;     /**< an input that is no choice: none may be passed */
} KilnValueInfo;

typedef enum KilnList {
  KILN_INPUTS = 0,    /**< what a call takes, in order */
  KILN_OUTPUTS = 1,   /**< what a call gives, in order */
  KILN_WEIGHTS = 2,   /**< parameters and buffers, by name */
  KILN_GRADIENTS = 3, /**< of parameters and inputs, with training */
  KILN_STATE = 4      /**< what the optimizer keeps */
} KilnList;

/** The number of elements of a list; 0 for a number that is no list. */
KILN_C_EXPORT size_t kilnModelCount(const KilnModel *model, KilnList list);
/** NULL from the number of elements on. */
KILN_C_EXPORT const KilnValueInfo *kilnModelInfo(const KilnModel *model,
                                                 KilnList list, size_t index);

/** A size that varies, and what it may be. */
typedef struct KilnSymbol {
  const char *name;
  int64_t least, most; /**< inclusive; INT64_MAX: no bound */
} KilnSymbol;

/** The sizes by which dimensions of inputs vary; NULL from their number on. */
KILN_C_EXPORT const KilnSymbol *kilnModelSymbol(const KilnModel *model,
                                                size_t index);

/**
 * Runs the program. `inputCount` and `outputCount` must be those of the lists.
 * The caller owns the tensors among the results. KILN_GUARD, with the check that
 * failed, for inputs that the package was not compiled for.
 */
KILN_C_EXPORT KilnStatus *kilnModelRun(KilnModel *model,
                                       const KilnValue *inputs,
                                       size_t inputCount, KilnValue *outputs,
                                       size_t outputCount);

/*===----------------------------------------------------------------------===*\
|* Weights                                                                    *|
\*===----------------------------------------------------------------------===*/

/** A copy of a weight's present contents, or of a tensor of KILN_STATE. */
KILN_C_EXPORT KilnStatus *kilnModelGetWeight(KilnModel *model, KilnList list,
                                             const char *name,
                                             KilnTensor **tensor);
/** Gives a weight other contents, which are copied, from the next call on.
 *  KILN_USAGE if name, element type or shape are not the program's. */
KILN_C_EXPORT KilnStatus *kilnModelSetWeight(KilnModel *model,
                                             const char *name,
                                             const KilnTensor *tensor);
/** The same for all weights of a safetensors file, or for none if one of them
 *  does not fit. */
KILN_C_EXPORT KilnStatus *kilnModelLoadWeights(KilnModel *model,
                                               const char *path);

/*===----------------------------------------------------------------------===*\
|* Training                                                                   *|
\*===----------------------------------------------------------------------===*/

/**
 * Runs the program and gives gradients. `tangents` has an element for each
 * output: a tensor, or none for zeros; NULL gives 1 to an output of one element.
 */
KILN_C_EXPORT KilnStatus *
kilnModelRunTraining(KilnModel *model, const KilnValue *inputs,
                     size_t inputCount, const KilnValue *tangents,
                     KilnValue *outputs, size_t outputCount,
                     KilnValue *gradients, size_t gradientCount);

/** One step of training: forward, backward and the optimizer's update of the
 *  weights, at the learning rate `rate`. `loss`, which may be NULL, receives the
 *  loss before the update. KILN_USAGE if the package has no optimizer. */
KILN_C_EXPORT KilnStatus *kilnModelStep(KilnModel *model,
                                        const KilnValue *inputs,
                                        size_t inputCount, double rate,
                                        double *loss);
/** Steps done, those before a checkpoint included. */
KILN_C_EXPORT uint64_t kilnModelSteps(const KilnModel *model);
/** Weights, state of the optimizer, and number of steps; a model that loads it
 *  continues with the same bits. */
KILN_C_EXPORT KilnStatus *kilnModelSaveCheckpoint(KilnModel *model,
                                                  const char *path);
/** The inverse. KILN_MALFORMED for a file that is no checkpoint, KILN_USAGE for
 *  one of another program, optimizer or seed; the model is then as it was. */
KILN_C_EXPORT KilnStatus *kilnModelLoadCheckpoint(KilnModel *model,
                                                  const char *path);

#ifdef __cplusplus
}
#endif

#endif /* KILN_C_RUNTIME_H */
