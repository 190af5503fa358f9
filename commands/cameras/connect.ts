import { type ReceiverProtocol, receiverProtocols } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { actionCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { canAsk, openDialogue } from "../input/dialogue.ts";
import { choice, idOf, seconds, text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { exactly } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";
import { awaitFirstPicture } from "./first-picture.ts";

type NewLogin = ReplyOf<"createCameraLogin">;

/** What to enter in the camera, in the order of its form. */
const settingsView: View<NewLogin> = {
  plural: "logins",
  fields: fieldsOf("createCameraLogin"),
  id: (login) => login.camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: (login) => ({ text: login.camera_id }) },
    { title: "BY", keep: true, cell: (login) => ({ text: login.protocol }) },
    { title: "USER", cell: (login) => ({ text: login.username }) },
    { title: "CREATED", cell: (login, terminal) => ({ text: exactly(terminal, login.created_at) }) },
  ],
  details: ({ settings }) => [
    ...(settings.url === null
      ? ([
          ["server", { text: settings.host ?? "the address of this machine", paint: "bold" }],
          ["port", { text: String(settings.port), paint: "bold" }],
        ] as const)
      : ([["address", { text: settings.url, paint: "bold" }]] as const)),
    ["user name", { text: settings.username, paint: "bold" }],
    ["password", { text: settings.password, paint: "bold" }],
    ...(settings.folder === null ? [] : [["folder", { text: settings.folder, paint: "bold" as const }] as const]),
    ...(settings.recipient === null ? [] : [["recipient", { text: settings.recipient, paint: "bold" as const }] as const]),
  ],
};

/** What each protocol asks of the camera besides the login. */
const hints: Readonly<Record<ReceiverProtocol, string>> = {
  ftp: "Enter this on the camera's FTP page: passive mode, no anonymous login, pictures on motion.",
  mail: "Enter this on the camera's mail page as SMTP server, with attached pictures on motion; any sender will do.",
  http: "Upload with PUT to this address and the file's name, with user name and password (docs/receive-http.md).",
};

const cameraArgument = { camera_id: idOf("camera", textArgument("Camera id or name")) };

export const connectCamera = defineCommand({
  name: "cameras connect",
  summary: "Let a camera deliver by FTP, mail or HTTP",
  description:
    "Creates a login for the camera, prints what to enter in the camera, and waits for its first picture. While it waits, it reports what the camera does wrong, such as a wrong password or a blocked port. The password is shown once; running the command again replaces it. Exits with 1 if no picture arrives in time.",
  arguments: cameraArgument,
  options: {
    by: choice(receiverProtocols, "How the camera delivers (asked on a terminal)"),
    username: text("name", "User name (default the camera's id)"),
    wait: seconds(0, 86_400, "Time to wait for the first picture; 0 does not wait (default 10m on a terminal, else 0)"),
  },
  examples: [
    { command: "homesec cameras connect porch --by ftp", note: "what to enter on the camera's FTP page" },
    { command: "homesec cameras connect porch --by mail --wait 0 -o json", note: "in a script" },
  ],
  prints: () => settingsView,
  endsOnSignal: true,
  async run({ arguments: { camera_id }, options: { by, username, wait } }, io) {
    if (io.global.direct)
      throw new Problem("invalid", "cameras connect needs a daemon; remove --direct and start one with `homesec serve`");
    const protocol = by ?? (await askForWay(io, receiverProtocols));
    return await connect(io, { camera_id, protocol, username, wait });
  },
});

interface Connection {
  readonly camera_id: string;
  readonly protocol: ReceiverProtocol;
  readonly username?: string | undefined;
  /** Seconds to wait for the first picture. */
  readonly wait?: number | undefined;
}

/** Creates the login, prints what to enter in the camera, and waits for its first picture. Resolves to the exit code. */
async function connect(io: Io, { camera_id, protocol, username, wait }: Connection): Promise<number> {
  const login = await io.call("createCameraLogin", {
    params: { camera_id, protocol },
    body: { ...(username !== undefined && { username }) },
  });
  io.output.note(hints[protocol]);
  await printRecord(io.output, login, settingsView);
  await noteReceiver(io, protocol);
  const waitSeconds = wait ?? (canAsk(io.host) ? 600 : 0);
  if (waitSeconds === 0) return exitCodes.ok;
  return (await awaitFirstPicture(io, login, waitSeconds)) ? exitCodes.ok : exitCodes.failure;
}

/** Asks how a new camera delivers, and connects it if it does not save its pictures in its folder. */
export async function offerConnection(io: Io, cameraId: string): Promise<void> {
  const protocol = await askForWay(io, ["folder", ...receiverProtocols] as const);
  if (protocol !== "folder") await connect(io, { camera_id: cameraId, protocol });
}

/** Asks how the camera delivers. Throws `Problem("invalid")` where no one can be asked. */
async function askForWay<T extends string>({ host }: Io, choices: readonly T[]): Promise<T> {
  if (!canAsk(host)) throw new Problem("invalid", `say how the camera delivers: --by ${receiverProtocols.join(", --by ")}`);
  const dialogue = openDialogue(host);
  try {
    for (;;) {
      const question = `How does the camera deliver (${choices.join(", ")})? [${choices[0]}] `;
      const answer = (await dialogue.ask(question)).toLowerCase() || choices[0];
      const found = choices.find((choice) => choice === answer);
      if (found) return found;
      host.stderr.write(`It must be one of ${choices.join(", ")}.\n`);
    }
  } finally {
    dialogue.close();
  }
}

/** Says why the receiver does not listen, if it does not. It opens a moment after the first login. */
async function noteReceiver(io: Io, protocol: ReceiverProtocol): Promise<void> {
  const deadline = Date.now() + 3_000;
  for (;;) {
    const { receivers } = await io.call("listReceivers", { query: {} });
    const receiver = receivers.find((each) => each.protocol === protocol);
    if (receiver?.state === "failed") io.output.note(`The ${protocol} receiver does not listen: ${receiver.fault}`);
    if (receiver?.state !== "off" || Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const disconnectCamera = actionCommand({
  name: "cameras disconnect",
  summary: "Delete the login of a camera",
  description: "Deletes the login with which the camera delivers: it stops working at once. The pictures and the folder stay.",
  arguments: cameraArgument,
  options: { by: choice(receiverProtocols, "Which login (default the only one)") },
  examples: [{ command: "homesec cameras disconnect porch --by ftp", note: "the camera can no longer upload" }],
  async act(io, { arguments: { camera_id }, options: { by } }) {
    const { logins } = await io.call("listReceivers", { query: { camera_id } });
    const protocol = by ?? (logins.length === 1 ? logins[0]?.protocol : undefined);
    if (protocol === undefined) {
      const ways = logins.map((login) => `--by ${login.protocol}`).join(" or ");
      throw new Problem(
        logins.length === 0 ? "not_found" : "invalid",
        ways === "" ? `camera ${camera_id} has no login` : `say which login: ${ways}`,
      );
    }
    await io.call("deleteCameraLogin", { params: { camera_id, protocol } });
    return `camera ${camera_id} can no longer deliver by ${protocol}`;
  },
});
