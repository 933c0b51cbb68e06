/** Bounds of {@link Places}. */
export interface PlaceLimits {
  readonly maxPlaces: number;
  readonly maxPlacesPerIp: number;
}

/** The requests that the worker knows of. Each holds a place until the worker has said its last word on it. */
export class Places {
  readonly #limits: PlaceLimits;
  /** The IP of each, by id. */
  readonly #ips = new Map<number, string>();
  readonly #counts = new Map<string, number>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Gives a request a place, unless all are taken or its IP has its share. */
  take(id: number, ip: string): 'taken' | 'full' {
    const count = this.#counts.get(ip) ?? 0;
    if (this.#ips.size >= this.#limits.maxPlaces || count >= this.#limits.maxPlacesPerIp) return 'full';
    this.#ips.set(id, ip);
    this.#counts.set(ip, count + 1);
    return 'taken';
  }

  /** Takes the place back; harmless when there is none. */
  free(id: number): void {
    const ip = this.#ips.get(id);
    if (ip === undefined) return;
    this.#ips.delete(id);
    const left = (this.#counts.get(ip) ?? 0) - 1;
    if (left > 0) this.#counts.set(ip, left);
    else this.#counts.delete(ip);
  }

  /** Takes all places back: the worker is gone. */
  clear(): void {
    this.#ips.clear();
    this.#counts.clear();
  }
}
