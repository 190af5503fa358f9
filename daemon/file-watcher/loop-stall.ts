const everyMs = 50;

/** Calls `onStall` with the length of each time the event loop stood still for longer than `stallMs`. Returns how to stop. */
export function watchForStalls(stallMs: number, onStall: (stalledMs: number) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const stalledMs = now - last - everyMs;
    last = now;
    if (stalledMs > stallMs) onStall(stalledMs);
  }, everyMs);
  return () => clearInterval(timer);
}
