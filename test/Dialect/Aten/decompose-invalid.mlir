// RUN: not kiln-opt %s --aten-decompose=to=kernel 2>&1 | FileCheck %s

// CHECK: error: option 'to' is 'kernel', expected 'import', 'core' or 'loop'
module {
}
