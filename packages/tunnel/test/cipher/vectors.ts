import sealedFrames from '../../vectors/sealed-frames.json' with { type: 'json' };

export const directions: typeof sealedFrames.directions = sealedFrames.directions;
export const refusedFrames: typeof sealedFrames.refused = sealedFrames.refused;

/** The frames of one direction. */
export function directionOf(name: 'clientToHost' | 'hostToClient'): (typeof directions)[number] {
  const direction = directions.find(({ direction }) => direction === name);
  if (direction === undefined) throw new Error(`there are no frames of ${name}`);
  return direction;
}
