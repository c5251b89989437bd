// Kite answers one quote request a second. All quote requests of this view start
// at least interval apart, first come first served.

export class Aborted extends Error {}

interface Waiting {
  readonly start: () => void;
  readonly signal: AbortSignal;
}

export class QuoteQueue {
  private readonly waiting: Waiting[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private nextStart = -Infinity;

  constructor(
    private readonly interval = 1100,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Resolves when the caller may start; rejects with Aborted when the signal comes first. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Aborted());
      const entry: Waiting = { start: resolve, signal };
      signal.addEventListener(
        "abort",
        () => {
          const at = this.waiting.indexOf(entry);
          if (at < 0) return; // it has started
          this.waiting.splice(at, 1);
          if (this.waiting.length === 0) this.stop();
          reject(new Aborted());
        },
        { once: true },
      );
      this.waiting.push(entry);
      this.pump();
    });
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Starts one request when it may, else sleeps until then. A timer that fires late starts one, not all it missed. */
  private pump(): void {
    if (this.timer !== null || this.waiting.length === 0) return;
    const wait = this.nextStart - this.now();
    if (wait > 0) {
      this.timer = setTimeout(() => {
        this.timer = null;
        this.pump();
      }, Math.ceil(wait));
      return;
    }
    const next = this.waiting.shift();
    this.nextStart = this.now() + this.interval;
    next?.start();
    this.pump();
  }
}
