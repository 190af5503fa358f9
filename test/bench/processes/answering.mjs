/** Answers each message of the parent with what `handle` returns, or with why it threw. Ends with the parent. */
export function answering(handle) {
  process.on("message", async (question) => {
    try {
      process.send({ answer: await handle(question) });
    } catch (error) {
      process.send({ error: error?.stack ?? String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
}
