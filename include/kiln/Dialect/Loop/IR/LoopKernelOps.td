//===- LoopKernelOps.td - Kernels, launches, calls ---------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPKERNELOPS
#define KILN_DIALECT_LOOP_IR_LOOPKERNELOPS

include "kiln/Dialect/Loop/IR/LoopOps.td"
include "mlir/IR/SymbolInterfaces.td"

def Loop_KernelOp : Loop_Op<"kernel", [Pure, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Loop nests that run as one kernel";
  let description = [{
    A fused group. It is isolated: `ins` binds each tensor it reads to a block
    argument of the same type. The body holds nests, scalar constants, and
    `loop.return` with the tensors that leave the kernel; what does not leave
    needs no memory beyond one row of scratch.

    The first extents of every nest in it are `shared`. One work item of the
    kernel is a point of the shared domain (how several of them are handled
    together is the schedule's business), and a nest reads the result of
    another nest of the kernel only at its own point of the shared domain. So
    work items do not depend on each other.

    A `loop.scatter` is the only nest of its kernel. A `loop.scan` or `loop.sort`
    with other nests has its row behind the shared extents. A `loop.contract`
    is alone, or stands with pointwise nests and reductions whose rows it makes or
    sums up: such a contraction has the shared extents first, or reads what the
    kernel computes at shared indices that are dimensions of its own, in any order.
    The last of them may be one that it sums up: then a work item is a point of the
    extents before, and the result leaves the kernel.

    A `loop.reduce` may sum up parts of the rows instead (`RowParts.h`): with
    `shared [128]`, one in `[8, 64]` over `[16]` has the sums of columns over 16 rows
    each. A work item is then a part, its rows one after the other.

    Constraints:
    - (C1) block arguments have the types of `ins`.
    - (C2) every nest's leading parallel extents are `shared`, save those of a
      contraction that reads a result of the kernel: index k of the tensor is a
      dimension of the contraction with extent `shared[k]` (each in one place), or 0
      where that is 1; it is parallel, or the last k and summed up, in a contraction
      whose result the kernel returns and does not read. A reduction may have the
      shared extents before k, then `shared[k] / n`, parallel, and n, from 2, and those
      behind k as what it reduces; all that do have one k and one n, and their results
      are returned and not read.
    - (C3) a load of a result of the kernel has `shared` index k in place k; in a sum
      over parts, the index that follows from the part and the row in it.
    - (C4) `loop.return` has the types of the results. The result of a pointwise nest, or of a
      contraction that is alone, may have longer rows: its last dimension has more elements
      than the nest makes, both of a known number. What these are is not defined.
    - (C5) a scatter is alone, and so is a scan or sort whose `dimension` is less
      than the number of shared extents; beside a contraction are other
      contractions, pointwise nests and reductions, none over parts of the rows.
    - (C6) its schedule, if it has one, is for kernels like it.

    Example:

    ```mlir
    %r = loop.kernel @k0 ins(%a = %x : tensor<4x8xf32>) shared [4]
        origins ["sum_1", "div"] -> tensor<4x8xf32> {
      %s = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum>
          : tensor<4xf32> {
        %e = loop.load %a[%i, %j] : tensor<4x8xf32>
        loop.yield %e : f32
      }
      %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
        %e = loop.load %a[%i, %j] : tensor<4x8xf32>
        %z = loop.load %s[%i] : tensor<4xf32>
        %q = arith.divf %e, %z : f32
        loop.yield %q : f32
      }
      loop.return %p : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyRankedTensor>:$inputs,
                       Loop_ExprArrayAttr:$shared,
                       OptionalAttr<StrArrayAttr>:$origins,
                       OptionalAttr<Loop_ScheduleAttr>:$schedule,
                       OptionalAttr<Loop_TrafficAttr>:$traffic);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The nests of its body, in order.
    ::llvm::SmallVector<::kiln::loop::NestOpInterface> getNests() {
      return ::llvm::to_vector(
          getBody().getOps<::kiln::loop::NestOpInterface>());
    }
  }];
}

def Loop_ReturnOp : Loop_Op<"return", [Pure, Terminator,
    HasParent<"KernelOp">]> {
  let summary = "The tensors that leave a kernel";
  let description = [{
    With `strides` a tensor is stored as a part of a larger one, which `loop.assemble`
    gives: element [i, j] is `i * strides[0] + j * strides[1]` elements behind the first.
    An entry `unit` is of one that lies by itself.

    Constraints:
    - (C1) there is an entry for each value, `unit` or a `#guard.shape` with a stride for
      each dimension.
    - (C2) a part is what a pointwise nest or a contraction makes, as it makes it.

    ```mlir
    loop.return %p, %q : tensor<4x8xf32>, tensor<4xf32>
        strides [#guard.shape<[24, 1]>, unit]
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values,
                       OptionalAttr<ArrayAttr>:$strides);
  let builders = [OpBuilder<(ins), [{ }]>,
                  OpBuilder<(ins "::mlir::ValueRange":$values),
                            [{ $_state.addOperands(values); }]>];
  let assemblyFormat = [{
    attr-dict ($values^ `:` type($values))? (`strides` $strides^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The strides of value `number`; null if it is no part of anything.
    ::kiln::guard::ShapeAttr getPartStrides(unsigned number);
    /// Sets them.
    void setPartStrides(unsigned number, ::kiln::guard::ShapeAttr strides);
  }];
}

def Loop_AssembleOp : Loop_Op<"assemble", [Pure]> {
  let summary = "A tensor whose parts are stored where it has them";
  let description = [{
    What a concatenation gives, without a kernel: those that make the `parts` store them
    in its memory. Part k begins `offsets[k]` elements behind the first and has the strides
    `strides[k]`, in elements. The result is row-major. Who reads a part reads it there.

    That no element is of two parts is not verified here: a memory plan in which they meet
    is refused (`program.func`).

    Constraints:
    - (C1) there are parts, and an offset and a stride for each dimension of each of them.
    - (C2) a part is a result of a kernel or a launch, and of no other `loop.assemble`; all
      have the element type of the result and, together, as many elements.
    - (C3) its kernel returns it with these strides; what it returns with strides is a part.

    ```mlir
    %r = loop.assemble(%a, %b) offsets [0, 8]
        strides [#guard.shape<[24, 1]>, #guard.shape<[24, 1]>]
        : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts,
                       Loop_ExprArrayAttr:$offsets, ArrayAttr:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `(` $parts `)` `offsets` custom<ExprList>($offsets) `strides` $strides attr-dict
    `:` functional-type($parts, $result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Where a result of a kernel or a launch is a part: the op and its number there; the
    /// op is null if it is none.
    static std::pair<AssembleOp, unsigned> find(::mlir::Value part);
    ::kiln::guard::ShapeAttr getPartStrides(unsigned number);
  }];
}

def Loop_LaunchOp : Loop_Op<"launch", [Pure]> {
  let summary = "Run a compiled kernel";
  let description = [{
    What emission makes of a `loop.kernel`: a call of the function `kernel` in
    the form of KernelABI.h. Its pointers are the inputs and then the results,
    its integers the values of `symbols`, its work items `work`. `scratch` is
    the number of bytes each thread needs.

    `schedule` says how it was emitted. `overwrites` has pairs of a result and an
    input: the kernel reads each element of the input at the latest where it
    computes the element of the result in the same place, so that the memory of
    the one may be that of the other.

    Constraints:
    - (C1) `grain` is at least 1.
    - (C2) `overwrites` has pairs of a result and an input that there are.

    Example:

    ```mlir
    %r = loop.launch @kernels::@k0(%x) symbols [s77] work s77 * 4 grain 64
        : (tensor<?x4xf32, #guard.shape<[s77, 4]>>)
          -> tensor<?x4xf32, #guard.shape<[s77, 4]>>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$inputs,
                       Loop_ExprArrayAttr:$symbols, Loop_ExprAttr:$work,
                       I64Attr:$grain, OptionalAttr<Loop_ExprAttr>:$scratch,
                       OptionalAttr<StrArrayAttr>:$origins,
                       OptionalAttr<Loop_ScheduleAttr>:$schedule,
                       OptionalAttr<Loop_TrafficAttr>:$traffic,
                       OptionalAttr<DenseI64ArrayAttr>:$overwrites);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `symbols` custom<ExprList>($symbols)
    `work` custom<Expr>($work) `grain` $grain
    (`scratch` custom<Expr>($scratch)^)? attr-dict
    `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Loop_LaunchGridOp : Loop_Op<"launch_grid", [Pure]> {
  let summary = "Run the kernels that a fused group became on a GPU";
  let description = [{
    What emission for a GPU makes of a `loop.kernel`: the functions of its `steps`
    run one after the other. Each takes by value, in this order:

    - a pointer to each input and then each result, in global memory and aligned to
      16 bytes;
    - a pointer to `workspace` bytes, aligned to 256, or null if there is none. They
      have no content before the first step and none after the last;
    - the values of the step's `symbols`, of 64 bits each;
    - for each message of `checks` the address of a cell, of 64 bits. Where an assertion
      (`loop.assert`) does not hold, a function writes 1 to its cell, 32 bits that the host
      sees, and stops the device.

    The functions stand in the `gpu.module` `@kernels`, which computes addresses in
    32 bits, or in `@kernels_64`, in 64 bits. With `narrow` they stand in both, and
    those of `@kernels` may be run where it is not 0; without, in the one that has
    them. What `library` says a library of the device may do in place of the steps.

    Constraints:
    - (C1) there is a step.
    - (C2) what `library` reads are pointers to inputs, what it writes is a pointer to a
      result; it looks at no `checks`, so there is only one of both.

    Example:

    ```mlir
    %r = loop.launch_grid(%x)
        steps [#loop.step<kernel = @k0, symbols = [#guard.expr<s77>],
                          blocks = #guard.expr<ceildiv(s77, 1024)>,
                          threads = 256>] narrow s77 <= 2147418112
        : (tensor<?xf32, #guard.shape<[s77]>>)
          -> tensor<?xf32, #guard.shape<[s77]>>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Loop_GridStepArrayAttr:$steps,
                       OptionalAttr<Loop_ExprAttr>:$narrow,
                       OptionalAttr<Loop_ExprAttr>:$workspace,
                       OptionalAttr<StrArrayAttr>:$origins,
                       OptionalAttr<Loop_ScheduleAttr>:$schedule,
                       OptionalAttr<Loop_TrafficAttr>:$traffic,
                       OptionalAttr<DenseI64ArrayAttr>:$overwrites,
                       OptionalAttr<Loop_LibraryCallAttr>:$library,
                       OptionalAttr<StrArrayAttr>:$checks);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `steps` $steps
    (`narrow` custom<Expr>($narrow)^)?
    (`workspace` custom<Expr>($workspace)^)? (`checks` $checks^)? attr-dict
    `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Loop_ExternOp : Loop_Op<"extern"> {
  let summary = "Call an eager operator";
  let description = [{
    A call of an ATen overload that is not compiled. `arguments` is the
    overload's argument list in schema order with all defaults filled in:
    `#loop.operand<k>` for a tensor or scalar operand, `unit` for none, a string,
    an integer, a float, a bool, a `#guard.expr`, a type for a dtype, or an
    array of these. `reason` says why there is no kernel; it is shown to users,
    and empty only where a call is what is wanted. The op's location is the
    model's source line.

    Constraints:
    - (C1) every `#loop.operand<k>` names an operand, each operand is named.
    - (C2) the overload's name is `namespace.name.overload`.

    Example:

    ```mlir
    %v, %i = loop.extern "aten.sort.default"(%x)
        arguments [#loop.operand<0>, -1, false] reason "sorting has no kernel"
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
    ```
  }];
  let arguments = (ins StrAttr:$overload, Variadic<AnyType>:$inputs,
                       ArrayAttr:$arguments, OptionalAttr<StrAttr>:$reason);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $overload `(` $inputs `)` `arguments` $arguments (`reason` $reason^)?
    attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Loop_InvokeOp : Loop_Op<"invoke",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run other functions of the module: a branch or a loop";
  let description = [{
    What becomes of an operator that runs graphs once its bodies are functions.

    - `branch [@then, @else](%p, ...)`: the first function if `%p` is true, else
      the second; both take what follows the predicate.
    - `while [@condition, @body](...)`: as long as the first function returns
      true, the second gives the next `carried` operands. The rest stays.
    - `scan [@body](...)`: the first operands are `carried`, of the next `scanned`
      the function takes one slice along the first dimension after the other. It
      returns the next carried operands and a slice of each further result.

    Constraints:
    - (C1) a branch and a while loop have two callees, a scan has one.
    - (C2) only loops carry, and only a scan takes slices; together they are no
      more than the operands, and carried operands no more than the results.
    - (C3) each callee is a function of this module that takes as many arguments
      and returns as many results as its part asks for.

    Example:

    ```mlir
    %r = loop.invoke branch [@f_then, @f_else](%p, %x)
        : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Loop_InvokeKindAttr:$kind,
                       FlatSymbolRefArrayAttr:$callees,
                       Variadic<AnyType>:$inputs,
                       DefaultValuedAttr<I64Attr, "0">:$carried,
                       DefaultValuedAttr<I64Attr, "0">:$scanned);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $kind $callees `(` $inputs `)` (`carried` $carried^)?
    (`scanned` $scanned^)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // KILN_DIALECT_LOOP_IR_LOOPKERNELOPS
