import { once } from "node:events";
import { connect } from "node:net";
import { routes } from "../../../contract/routes/index.ts";
import { type Check, combine, finding, type Outcome, ok, skipped } from "../check.ts";

/** Time for one answer of a receiver. */
const answerMs = 5_000;

/** Whether the receivers for cameras listen, and the FTP receiver answers. */
export const receivers: Check = {
  id: "receivers",
  group: "cameras",
  title: "Receivers for cameras",
  severity: "error",
  finds: "A receiver cannot listen on its port, or the FTP receiver does not answer, so its cameras cannot deliver pictures",
  async run(examination) {
    const { client, isNear } = await examination.daemon();
    const { receivers: all } = await client.call(routes.listReceivers, { query: {} });
    const open = all.filter(({ state }) => state === "listening" || state === "failed");
    if (open.length === 0) return skipped("no camera has a login for a receiver");
    return combine(
      await Promise.all(
        open.map(async ({ protocol, host, port, fault }): Promise<Outcome> => {
          if (fault !== null)
            return finding(`The receiver for ${protocol} does not listen: ${fault}`, "Fix the cause; homesec tries again every 5 s");
          const detail = `${protocol} on port ${port}`;
          return protocol === "ftp" && isNear ? await ftpAnswers(reachableHost(host), port, detail) : ok(detail);
        }),
      ),
    );
  },
};

/** Begins a login as a camera does, and leaves before the password. */
async function ftpAnswers(host: string, port: number, detail: string): Promise<Outcome> {
  const socket = connect({ host, port });
  const deadline = AbortSignal.timeout(answerMs);
  try {
    const replyTo = async (command: string): Promise<string> => {
      if (command !== "") socket.write(`${command}\r\n`);
      const [chunk] = (await once(socket, "data", { signal: deadline })) as [Buffer];
      return chunk.toString();
    };
    const greeting = await replyTo("");
    const answer = greeting.startsWith("220") ? await replyTo("USER homesec-doctor") : greeting;
    if (answer.startsWith("331")) return ok(detail);
    return finding(
      `The FTP receiver at ${host}:${port} answered: ${answer.trim()}`,
      "Check RECEIVER_MAX_CONNECTIONS, and the log of homesec",
    );
  } catch (error) {
    const why = deadline.aborted ? `no answer within ${answerMs / 1_000} s` : (error as Error).message;
    return finding(`The FTP receiver at ${host}:${port} does not answer: ${why}`, "Restart homesec; if it recurs, look into its log");
  } finally {
    socket.on("error", () => {});
    socket.write("QUIT\r\n");
    socket.destroySoon();
  }
}

function reachableHost(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
}
