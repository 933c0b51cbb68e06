import { randomBytes } from 'node:crypto';
import { maskedFrame } from './frames.ts';
import type { Pair } from './pairs.ts';

/** Messages that go to the host and come back, with the time each took. */
export interface PingPong {
  /** Forgets the times so far: the warm-up is over. */
  reset(): void;
  /** Ends it and returns the round-trip times in milliseconds. */
  stop(): number[];
}

/** Sends the next message as soon as the last one is back. */
export function startPingPong(pair: Pair, payloadBytes: number): PingPong {
  const player = playerFor(pair, payloadBytes);
  player.onReturn(player.send);
  player.send();
  return player;
}

/**
 * Sends one message per period on every pair, the pairs evenly staggered. A pair that still waits for an answer sends
 * all the same: leaving it alone would hide exactly the long waits that are looked for.
 */
export function startInteractive(
  pairs: readonly Pair[],
  options: { readonly payloadBytes: number; readonly periodMs: number },
): PingPong {
  const players = pairs.map((pair) => playerFor(pair, options.payloadBytes));
  const stopTicking = everyPeriod(players.length, options.periodMs, (index) => players[index]?.send());
  return {
    reset: () => {
      for (const player of players) {
        player.reset();
      }
    },
    stop: () => {
      stopTicking();
      return players.flatMap((player) => player.stop());
    },
  };
}

/** Calls `act` for each of `count` members once per period, evenly spread over the period. */
export function everyPeriod(count: number, periodMs: number, act: (index: number) => void): () => void {
  const began = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / periodMs) * count);
    // After a long pause of this process the backlog is dropped: catching up would be a burst.
    done = Math.max(done, due - count);
    while (done < due) {
      act(done % count);
      done += 1;
    }
  }, 1);
  return () => clearInterval(timer);
}

interface Player extends PingPong {
  readonly send: () => void;
  onReturn(next: () => void): void;
}

function playerFor(pair: Pair, payloadBytes: number): Player {
  const ping = maskedFrame(randomBytes(payloadBytes));
  const pong = maskedFrame(randomBytes(payloadBytes));
  let latenciesMs: number[] = [];
  let underWay: number[] = [];
  let running = true;
  let next: (() => void) | undefined;
  pair.host.onMessage = () => {
    pair.host.socket.write(pong);
  };
  pair.client.onMessage = () => {
    latenciesMs.push(performance.now() - (underWay.shift() ?? Number.NaN));
    next?.();
  };
  return {
    send: () => {
      if (running) {
        underWay.push(performance.now());
        pair.client.socket.write(ping);
      }
    },
    onReturn: (following) => {
      next = following;
    },
    reset: () => {
      latenciesMs = [];
    },
    stop: () => {
      running = false;
      const worst = Math.max(0, ...latenciesMs);
      const waiting = underWay.map((sentAt) => performance.now() - sentAt).filter((age) => age > worst);
      underWay = [];
      return [...latenciesMs, ...waiting];
    },
  };
}
