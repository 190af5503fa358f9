/** Polls until the answer is truthy and returns it; fails with the last answer or error after `timeoutMs`. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<NonNullable<T>> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`${options.what ?? "what was waited for"} did not come within ${timeoutMs} ms; last: ${String(last)}`, {
        cause: last,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
