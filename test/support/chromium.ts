import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import WebSocket from "ws";
import { eventually } from "./eventually.ts";
import { temporaryFolder } from "./temporary.ts";

const program = "chromium";

/** Whether Debian's chromium (or another name of it) is installed. Tests that need it are skipped loudly without it. */
export const chromiumInstalled = spawnSync(program, ["--version"]).status === 0;

if (!chromiumInstalled) process.stderr.write("chromium is not installed: the tests in a real browser are skipped\n");

/** A request of a page, as the browser reports it. */
export interface PageRequest {
  readonly url: string;
  readonly status: number | undefined;
  readonly range: string | undefined;
}

/** A tab. */
export interface Page {
  /** Opens an address and waits until it has loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page and awaits a promise. Fails with the page's error. */
  evaluate<T>(expression: string): Promise<T>;
  /** All requests since the tab was opened. */
  requests(): readonly PageRequest[];
  /** Errors in the browser's console: failed scripts, content blocked by a policy. */
  complaints(): readonly string[];
}

/** A headless browser. */
export interface Chromium {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Send = (method: string, params?: object, sessionId?: string) => Promise<unknown>;

/** Starts a browser with a temporary profile that `close` removes. */
export async function openChromium(): Promise<Chromium> {
  const profile = temporaryFolder("chromium");
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio"];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"];
  const child = spawn(program, [...flags, ...quiet, "--remote-debugging-port=0", `--user-data-dir=${profile.path}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const socket = new WebSocket(await addressOf(child), { perMessageDeflate: false });
  await once(socket, "open");

  const waiting = new Map<number, { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }>();
  const onEvent = new Map<string, (method: string, params: Readonly<Record<string, unknown>>) => void>();
  let count = 0;
  socket.on("message", (data) => {
    const { id, method, sessionId, params, result, error } = JSON.parse(String(data)) as Message;
    if (id === undefined) {
      onEvent.get(sessionId ?? "")?.(method ?? "", params ?? {});
    } else if (error) {
      waiting.get(id)?.reject(new Error(error.message));
    } else {
      waiting.get(id)?.resolve(result);
    }
  });
  const send: Send = (method, params = {}, sessionId) => {
    count += 1;
    const id = count;
    socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };

  return {
    newPage: async () => {
      const { targetId } = (await send("Target.createTarget", { url: "about:blank" })) as { targetId: string };
      const { sessionId } = (await send("Target.attachToTarget", { targetId, flatten: true })) as { sessionId: string };
      return await pageOf(send, sessionId, (handle) => onEvent.set(sessionId, handle));
    },
    close: async () => {
      socket.terminate();
      child.kill("SIGTERM");
      const cutOff = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exit;
      clearTimeout(cutOff);
      await profile.remove();
    },
  };
}

/** The DevTools address, which the browser prints when it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  let printed = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return await eventually(() => /DevTools listening on (ws:\S+)/.exec(printed)?.[1], { timeoutMs: 30_000, what: "the browser" });
}

async function pageOf(
  send: Send,
  session: string,
  listen: (handle: (method: string, params: Readonly<Record<string, unknown>>) => void) => void,
): Promise<Page> {
  const requests = new Map<string, { url: string; status: number | undefined; range: string | undefined }>();
  const complaints: string[] = [];
  let loads = 0;
  listen((method, params) => {
    const { requestId, request, response, exceptionDetails, entry } = params as {
      readonly requestId: string;
      readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
      readonly response: { readonly status: number };
      readonly exceptionDetails: { readonly text: string };
      readonly entry: { readonly level: string; readonly text: string };
    };
    if (method === "Page.loadEventFired") loads += 1;
    if (method === "Network.requestWillBeSent") {
      requests.set(requestId, { url: request.url, status: undefined, range: request.headers["Range"] });
    }
    const asked = requests.get(requestId);
    if (method === "Network.responseReceived" && asked) asked.status = response.status;
    if (method === "Runtime.exceptionThrown") complaints.push(exceptionDetails.text);
    if (method === "Log.entryAdded" && entry.level === "error") complaints.push(entry.text);
  });
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`, {}, session);
  return {
    goto: async (url) => {
      const before = loads;
      await send("Page.navigate", { url }, session);
      await eventually(() => loads > before, { what: `${url} in the browser` });
    },
    evaluate: async <T>(expression: string) => {
      const { result, exceptionDetails } = (await send(
        "Runtime.evaluate",
        { expression, awaitPromise: true, returnByValue: true },
        session,
      )) as { result: { value: T }; exceptionDetails?: { exception?: { description?: string }; text: string } };
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    requests: () => [...requests.values()],
    complaints: () => complaints,
  };
}
