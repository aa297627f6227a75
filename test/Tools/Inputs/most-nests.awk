# The largest number of nests that a kernel of the IR has.
/loop.kernel @/ { nests = 0 }
/= loop\.(pointwise|reduce|contract|scan|sort|scatter) / {
  if (++nests > most)
    most = nests
}
END { print "most nests in a kernel: " most }
