// @main runs @leaf by itself, and @outer, which runs @leaf once more.
!b = !program.buffer<[64], f32>
!p = !program.buffer<[], i1>
program.func @main {
  %x = program.slot user_input "x" : !b
  %p = program.slot user_input "p" : !p
  %r = program.invoke branch [@leaf, @outer](%p, %x) arguments [#program.operand<0>, #program.operand<1>] : (!p, !b) -> !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}
program.func @leaf {
  %x = program.slot user_input "x" : !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}
program.func @outer {
  %x = program.slot user_input "x" : !b
  %p = program.get @yes : !p
  %r = program.invoke branch [@leaf, @leaf](%p, %x) arguments [#program.operand<0>, #program.operand<1>] : (!p, !b) -> !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}
program.constant @yes dense_resource<yes> : tensor<i1>
guard.program @guards for @main {}
{-# dialect_resources: { builtin: { yes: "0x0100000001" } } #-}
