module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
func.func @a(%x: tensor<4096x768xbf16>, %w: tensor<2304x768xbf16>, %z: tensor<4096x2304xbf16>) -> tensor<4096x2304xbf16> {
  %r = loop.kernel @a ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<2304x768xbf16>, %v = %z : tensor<4096x2304xbf16>) shared [] -> tensor<4096x2304xbf16> {
    %c = loop.contract parallel [4096, 2304] reduction [768] lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<2304x768xbf16> acc f32 : tensor<4096x2304xbf16> 
    loop.return %c : tensor<4096x2304xbf16>
  }
  return %r : tensor<4096x2304xbf16>
}
func.func @b(%x: tensor<4096x768xbf16>, %w: tensor<768x768xbf16>, %z: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %r = loop.kernel @b ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<768x768xbf16>, %v = %z : tensor<4096x768xbf16>) shared [] -> tensor<4096x768xbf16> {
    %c = loop.contract parallel [4096, 768] reduction [768] lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<768x768xbf16> acc f32 : tensor<4096x768xbf16> epilogue (%acc, %i, %j) {
 %e = loop.load %v[%i, %j] : tensor<4096x768xbf16>
 %f = arith.extf %e : bf16 to f32
 %g = arith.addf %acc, %f : f32
 %t = arith.truncf %g : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x768xbf16>
  }
  return %r : tensor<4096x768xbf16>
}
func.func @c(%x: tensor<4096x768xbf16>, %w: tensor<3072x768xbf16>, %z: tensor<4096x3072xbf16>) -> tensor<4096x3072xbf16> {
  %r = loop.kernel @c ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<3072x768xbf16>, %v = %z : tensor<4096x3072xbf16>) shared [] -> tensor<4096x3072xbf16> {
    %c = loop.contract parallel [4096, 3072] reduction [768] lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<3072x768xbf16> acc f32 : tensor<4096x3072xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %a2 = arith.mulf %xx, %xx : f32
 %a3 = arith.mulf %a2, %c : f32
 %a4 = arith.addf %a3, %one : f32
 %a5 = arith.mulf %aa, %a4 : f32
 %n = arith.negf %a5 : f32
 %e = math.exp %n : f32
 %s = arith.addf %e, %one : f32
 %d = arith.divf %one, %s fastmath<afn> : f32
 %r = arith.mulf %xx, %d : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x3072xbf16>
  }
  return %r : tensor<4096x3072xbf16>
}
func.func @d(%x: tensor<4096x3072xbf16>, %w: tensor<768x3072xbf16>, %z: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %r = loop.kernel @d ins(%a = %x : tensor<4096x3072xbf16>, %b = %w : tensor<768x3072xbf16>, %v = %z : tensor<4096x768xbf16>) shared [] -> tensor<4096x768xbf16> {
    %c = loop.contract parallel [4096, 768] reduction [3072] lhs %a[d0, d2] : tensor<4096x3072xbf16> rhs %b[d1, d2] : tensor<768x3072xbf16> acc f32 : tensor<4096x768xbf16> epilogue (%acc, %i, %j) {
 %e = loop.load %v[%i, %j] : tensor<4096x768xbf16>
 %f = arith.extf %e : bf16 to f32
 %g = arith.addf %acc, %f : f32
 %t = arith.truncf %g : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x768xbf16>
  }
  return %r : tensor<4096x768xbf16>
}
func.func @e(%x: tensor<4096x768xbf16>, %w: tensor<50257x768xbf16>, %z: tensor<4096x50257xbf16>) -> tensor<4096x50257xbf16> {
  %r = loop.kernel @e ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<50257x768xbf16>, %v = %z : tensor<4096x50257xbf16>) shared [] -> tensor<4096x50257xbf16> {
    %c = loop.contract parallel [4096, 50257] reduction [768] lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<50257x768xbf16> acc f32 : tensor<4096x50257xbf16> 
    loop.return %c : tensor<4096x50257xbf16>
  }
  return %r : tensor<4096x50257xbf16>
}
func.func @f(%x: tensor<8192x1024xbf16>, %w: tensor<4096x1024xbf16>, %z: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %r = loop.kernel @f ins(%a = %x : tensor<8192x1024xbf16>, %b = %w : tensor<4096x1024xbf16>, %v = %z : tensor<8192x4096xbf16>) shared [] -> tensor<8192x4096xbf16> {
    %c = loop.contract parallel [8192, 4096] reduction [1024] lhs %a[d0, d2] : tensor<8192x1024xbf16> rhs %b[d1, d2] : tensor<4096x1024xbf16> acc f32 : tensor<8192x4096xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %e = math.erf %aa : f32
 %s = arith.addf %e, %one : f32
 %h = arith.mulf %xx, %c : f32
 %r = arith.mulf %h, %s : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<8192x4096xbf16>
  }
  return %r : tensor<8192x4096xbf16>
}
func.func @g(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %z: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @g ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>, %v = %z : tensor<4096x4096xbf16>) shared [] -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [4096] lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16> acc f32 : tensor<4096x4096xbf16> 
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}
func.func @h(%x: tensor<8192x4096xbf16>, %w: tensor<4096x4096xbf16>, %z: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %r = loop.kernel @h ins(%a = %x : tensor<8192x4096xbf16>, %b = %w : tensor<4096x4096xbf16>, %v = %z : tensor<8192x4096xbf16>) shared [] -> tensor<8192x4096xbf16> {
    %c = loop.contract parallel [8192, 4096] reduction [4096] lhs %a[d0, d2] : tensor<8192x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16> acc f32 : tensor<8192x4096xbf16> epilogue (%acc, %i, %j) {
 %e = loop.load %v[%i, %j] : tensor<8192x4096xbf16>
 %f = arith.extf %e : bf16 to f32
 %g = arith.addf %acc, %f : f32
 %t = arith.truncf %g : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<8192x4096xbf16>
  }
  return %r : tensor<8192x4096xbf16>
}
func.func @i(%x: tensor<6304x768xbf16>, %w: tensor<3072x768xbf16>, %z: tensor<6304x3072xbf16>) -> tensor<6304x3072xbf16> {
  %r = loop.kernel @i ins(%a = %x : tensor<6304x768xbf16>, %b = %w : tensor<3072x768xbf16>, %v = %z : tensor<6304x3072xbf16>) shared [] -> tensor<6304x3072xbf16> {
    %c = loop.contract parallel [6304, 3072] reduction [768] lhs %a[d0, d2] : tensor<6304x768xbf16> rhs %b[d1, d2] : tensor<3072x768xbf16> acc f32 : tensor<6304x3072xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %e = math.erf %aa : f32
 %s = arith.addf %e, %one : f32
 %h = arith.mulf %xx, %c : f32
 %r = arith.mulf %h, %s : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<6304x3072xbf16>
  }
  return %r : tensor<6304x3072xbf16>
}
func.func @j(%x: tensor<8192x4096xbf16>, %w: tensor<11008x4096xbf16>, %z: tensor<8192x11008xbf16>) -> tensor<8192x11008xbf16> {
  %r = loop.kernel @j ins(%a = %x : tensor<8192x4096xbf16>, %b = %w : tensor<11008x4096xbf16>, %v = %z : tensor<8192x11008xbf16>) shared [] -> tensor<8192x11008xbf16> {
    %c = loop.contract parallel [8192, 11008] reduction [4096] lhs %a[d0, d2] : tensor<8192x4096xbf16> rhs %b[d1, d2] : tensor<11008x4096xbf16> acc f32 : tensor<8192x11008xbf16> 
    loop.return %c : tensor<8192x11008xbf16>
  }
  return %r : tensor<8192x11008xbf16>
}
func.func @k(%x: tensor<4096x1024xbf16>, %w: tensor<4096x1024xbf16>, %z: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @k ins(%a = %x : tensor<4096x1024xbf16>, %b = %w : tensor<4096x1024xbf16>, %v = %z : tensor<4096x4096xbf16>) shared [] -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [1024] lhs %a[d0, d2] : tensor<4096x1024xbf16> rhs %b[d1, d2] : tensor<4096x1024xbf16> acc f32 : tensor<4096x4096xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %e = math.erf %aa : f32
 %s = arith.addf %e, %one : f32
 %h = arith.mulf %xx, %c : f32
 %r = arith.mulf %h, %s : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}
func.func @m1(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>, %z: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %r = loop.kernel @m1 ins(%a = %x : tensor<1024x1024xbf16>, %b = %w : tensor<1024x1024xbf16>, %v = %z : tensor<1024x1024xbf16>) shared [] -> tensor<1024x1024xbf16> {
    %c = loop.contract parallel [1024, 1024] reduction [1024] lhs %a[d0, d2] : tensor<1024x1024xbf16> rhs %b[d1, d2] : tensor<1024x1024xbf16> acc f32 : tensor<1024x1024xbf16> 
    loop.return %c : tensor<1024x1024xbf16>
  }
  return %r : tensor<1024x1024xbf16>
}
func.func @m2(%x: tensor<512x768xbf16>, %w: tensor<3072x768xbf16>, %z: tensor<512x3072xbf16>) -> tensor<512x3072xbf16> {
  %r = loop.kernel @m2 ins(%a = %x : tensor<512x768xbf16>, %b = %w : tensor<3072x768xbf16>, %v = %z : tensor<512x3072xbf16>) shared [] -> tensor<512x3072xbf16> {
    %c = loop.contract parallel [512, 3072] reduction [768] lhs %a[d0, d2] : tensor<512x768xbf16> rhs %b[d1, d2] : tensor<3072x768xbf16> acc f32 : tensor<512x3072xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %a2 = arith.mulf %xx, %xx : f32
 %a3 = arith.mulf %a2, %c : f32
 %a4 = arith.addf %a3, %one : f32
 %a5 = arith.mulf %aa, %a4 : f32
 %n = arith.negf %a5 : f32
 %e = math.exp %n : f32
 %s = arith.addf %e, %one : f32
 %d = arith.divf %one, %s fastmath<afn> : f32
 %r = arith.mulf %xx, %d : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<512x3072xbf16>
  }
  return %r : tensor<512x3072xbf16>
}
func.func @m3(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>, %z: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %r = loop.kernel @m3 ins(%a = %x : tensor<8192x8192xbf16>, %b = %w : tensor<8192x8192xbf16>, %v = %z : tensor<8192x8192xbf16>) shared [] -> tensor<8192x8192xbf16> {
    %c = loop.contract parallel [8192, 8192] reduction [8192] lhs %a[d0, d2] : tensor<8192x8192xbf16> rhs %b[d1, d2] : tensor<8192x8192xbf16> acc f32 : tensor<8192x8192xbf16> 
    loop.return %c : tensor<8192x8192xbf16>
  }
  return %r : tensor<8192x8192xbf16>
}
func.func @bert(%x: tensor<4096x4096xbf16>, %w: tensor<1024x4096xbf16>, %z: tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16> {
  %r = loop.kernel @bert ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<1024x4096xbf16>, %v = %z : tensor<4096x1024xbf16>) shared [] -> tensor<4096x1024xbf16> {
    %c = loop.contract parallel [4096, 1024] reduction [4096] lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<1024x4096xbf16> acc f32 : tensor<4096x1024xbf16> epilogue (%acc, %i, %j) {
 %e = loop.load %v[%i, %j] : tensor<4096x1024xbf16>
 %f = arith.extf %e : bf16 to f32
 %g = arith.addf %acc, %f : f32
 %t = arith.truncf %g : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x1024xbf16>
  }
  return %r : tensor<4096x1024xbf16>
}
func.func @swi(%x: tensor<4096x4096xbf16>, %w: tensor<11008x4096xbf16>, %z: tensor<4096x11008xbf16>) -> tensor<4096x11008xbf16> {
  %r = loop.kernel @swi ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<11008x4096xbf16>, %v = %z : tensor<4096x11008xbf16>) shared [] -> tensor<4096x11008xbf16> {
    %c = loop.contract parallel [4096, 11008] reduction [4096] lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<11008x4096xbf16> acc f32 : tensor<4096x11008xbf16> epilogue (%acc, %i, %j) {
 %t0 = arith.truncf %acc : f32 to bf16
 %xx = arith.extf %t0 : bf16 to f32
 %one = arith.constant 1.0 : f32
 %c = arith.constant 0.7 : f32

 %aa = arith.mulf %xx, %c : f32
 %a2 = arith.mulf %xx, %xx : f32
 %a3 = arith.mulf %a2, %c : f32
 %a4 = arith.addf %a3, %one : f32
 %a5 = arith.mulf %aa, %a4 : f32
 %n = arith.negf %a5 : f32
 %e = math.exp %n : f32
 %s = arith.addf %e, %one : f32
 %d = arith.divf %one, %s fastmath<afn> : f32
 %r = arith.mulf %xx, %d : f32
 %t = arith.truncf %r : f32 to bf16
 loop.yield %t : bf16 }
    loop.return %c : tensor<4096x11008xbf16>
  }
  return %r : tensor<4096x11008xbf16>
}
}
