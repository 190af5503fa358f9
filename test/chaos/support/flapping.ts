import { freePort } from "../../support/free-port.ts";
import { type MailServer, mailServer, type ReceivedMail } from "../../support/mail-server.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";

/** A receiver that refuses every fourth message and cuts some connections, until `answerWith` lets it accept all. */
export async function flappingReceiver(refusal = 500): Promise<Receiver> {
  return await receiver((_, index) => (index % 4 === 1 ? { status: refusal } : index % 7 === 3 ? "reset" : { status: 200 }));
}

/** A mail server that comes and goes. It accepts some mails, postpones some, refuses a few for long and a few for good. */
export async function flappingMailServer() {
  const port = await freePort();
  const mails: ReceivedMail[] = [];
  let server: MailServer | undefined;
  let asked = 0;
  const down = async (): Promise<void> => {
    mails.push(...(server?.mails ?? []));
    await server?.close();
    server = undefined;
  };
  const refusal = () => {
    asked += 1;
    if (asked % 37 === 0) return { code: 550, text: "5.1.1 no such user" };
    if (asked % 23 === 0) return { code: 552, text: "5.2.2 mailbox full" };
    return asked % 4 === 1 ? { code: 451, text: "4.3.0 later" } : undefined;
  };
  return {
    port,
    down,
    up: async (how: "flapping" | "well"): Promise<void> => {
      await down();
      server = await mailServer({ port, ...(how === "flapping" && { onMail: refusal, dieInMail: 1 }) });
    },
    /** Without the test of the channel, which is about no alert. */
    mails: () => [...mails, ...(server?.mails ?? [])].filter(({ mail }) => !mail.headers["subject"]?.startsWith("Test message")),
  };
}
