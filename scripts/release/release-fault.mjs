/** Something in the way of a release that a person has to put right; the message says what. */
export class ReleaseFault extends Error {
  name = 'ReleaseFault';
}
