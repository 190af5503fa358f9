import { secretFieldOf } from "../../src/contract/channel-fields.ts";
import type { ChannelKindName } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Values } from "../command.ts";
import { text } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";

/** One flag per setting. Each service takes some of them. */
export const settingOptions = {
  server: text("address", "Address of the server (default: of the service)"),
  topic: text("topic", "ntfy: topic (default: random)"),
  username: text("name", "ntfy: user name; its password comes from --secret-file"),
  chat_id: text("id", "Telegram: chat (default: the first that writes to the bot)"),
  user: text("key", "Pushover: user key"),
  device: text("names", "Pushover: devices, separated by commas (default all)"),
  service: text("name", "Home Assistant: notify action, such as mobile_app_annas_phone"),
  tag: text("tag", "Apprise: tag of the services to notify"),
  secret_file: text("file", "File with the token or password, or HOMESEC_CHANNEL_SECRET; - for stdin"),
};

type Given = Values<typeof settingOptions>;

/** The settings that the options give. Reads the file of the secret. Throws `Problem("invalid")`. */
export async function settingsOf(io: Io, kind: ChannelKindName, { secret_file, ...options }: Given): Promise<Record<string, string>> {
  const settings = Object.fromEntries(Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const secret = secret_file === undefined ? io.host.env["HOMESEC_CHANNEL_SECRET"] : await readText(io.host, "--secret-file", secret_file);
  if (secret === undefined) return settings;
  const field = secretFieldOf(kind, settings["username"] !== undefined);
  if (field === undefined) throw new Problem("invalid", "this channel has no secret; remove --secret-file");
  const trimmed = secret.trim();
  if (trimmed === "") throw new Problem("invalid", "the secret is empty; write it into the file of --secret-file");
  return { ...settings, [field]: trimmed };
}
