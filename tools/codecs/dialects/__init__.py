"""How schemas become code. One dialect a way of writing codecs; `interface.Dialect` is what the generator asks of it."""
