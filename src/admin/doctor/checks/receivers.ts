import { once } from "node:events";
import { connect } from "node:net";
import { routes } from "../../../contract/routes/index.ts";
import { type Check, combine, finding, type Outcome, ok, skipped } from "../check.ts";

/** Time for one answer of a receiver. */
const answerMs = 5_000;

/** Wrong passwords within an hour that count as guessing, or as a camera with an old password. */
const manyWrongPasswords = 5;

/** The first words of a camera by each protocol, up to the password, and the code of the last answer. HTTP has the port of the API. */
const dialogues: Readonly<Record<string, { readonly name: string; readonly command: string; readonly code: string } | undefined>> = {
  ftp: { name: "FTP", command: "USER homesec-doctor", code: "331" },
  mail: { name: "mail", command: "EHLO homesec-doctor", code: "250" },
};

/** Whether the receivers for cameras listen and answer, and whether cameras or others try wrong passwords. */
export const receivers: Check = {
  id: "receivers",
  group: "cameras",
  title: "Receivers for cameras",
  severity: "error",
  finds: "A receiver cannot listen on its port or does not answer, so its cameras cannot deliver; or it got many wrong passwords",
  async run(examination) {
    const { client, isNear } = await examination.daemon();
    const { receivers: all, recent_faults: faults } = await client.call(routes.listReceivers, { query: {} });
    const open = all.filter(({ state }) => state === "listening" || state === "failed");
    if (open.length === 0) return skipped("no camera has a login for a receiver");
    const outcomes = await Promise.all(
      open.map(async ({ protocol, host, port, fault }): Promise<Outcome> => {
        if (fault !== null)
          return finding(`The receiver for ${protocol} does not listen: ${fault}`, "Fix the cause; homesec tries again every 5 s");
        const detail = `${protocol} on port ${port}`;
        return isNear ? await answers(protocol, reachableHost(host), port, detail) : ok(detail);
      }),
    );
    return combine([...outcomes, ...wrongPasswords(faults)]);
  },
};

/** Reports addresses that sent many wrong passwords. */
function wrongPasswords(faults: readonly { readonly message: string; readonly client: string | null }[]): readonly Outcome[] {
  const counts = new Map<string, number>();
  for (const { message, client } of faults) {
    if (/^(Wrong password|Unknown user|No camera has the user name)/.test(message))
      counts.set(client ?? "", (counts.get(client ?? "") ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= manyWrongPasswords)
    .map(([client, count]) =>
      finding(
        `${client} sent wrong passwords of cameras ${count} times in the last hour`,
        "Correct the password in that camera; if it is none of yours, close the receivers' ports to it",
      ),
    );
}

/** Begins a login as a camera does, and leaves before the password. */
async function answers(protocol: string, host: string, port: number, detail: string): Promise<Outcome> {
  const dialogue = dialogues[protocol];
  if (!dialogue) return ok(detail);
  const { name, command, code } = dialogue;
  const socket = connect({ host, port });
  const deadline = AbortSignal.timeout(answerMs);
  try {
    const replyTo = async (text: string): Promise<string> => {
      if (text !== "") socket.write(`${text}\r\n`);
      const [chunk] = (await once(socket, "data", { signal: deadline })) as [Buffer];
      return chunk.toString();
    };
    const greeting = await replyTo("");
    const answer = greeting.startsWith("220") ? await replyTo(command) : greeting;
    if (answer.startsWith(code)) return ok(detail);
    return finding(
      `The ${name} receiver at ${host}:${port} answered: ${answer.trim()}`,
      "Check RECEIVER_MAX_CONNECTIONS, and the log of homesec",
    );
  } catch (error) {
    const why = deadline.aborted ? `no answer within ${answerMs / 1_000} s` : (error as Error).message;
    return finding(`The ${name} receiver at ${host}:${port} does not answer: ${why}`, "Restart homesec; if it recurs, look into its log");
  } finally {
    socket.on("error", () => {});
    socket.write("QUIT\r\n");
    socket.destroySoon();
  }
}

function reachableHost(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
}
