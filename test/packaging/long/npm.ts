import { execa } from "execa";
import { root } from "../project.ts";

/** The environment of npm that finds the registry and the cache of this machine, and nothing else of it. The caller sets HOME. */
export async function npmSettings(): Promise<Readonly<Record<string, string>>> {
  const setting = async (name: string): Promise<string> => (await execa("npm", ["config", "get", name], { cwd: root })).stdout;
  const [npm_config_userconfig, npm_config_cache] = await Promise.all([setting("userconfig"), setting("cache")]);
  const network = Object.entries(process.env).filter((entry): entry is [string, string] =>
    /^(npm_config_|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$|https?_proxy$|no_proxy$)/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(network),
    ...{ npm_config_userconfig, npm_config_cache, npm_config_prefer_offline: "true", PATH: process.env["PATH"] ?? "" },
  };
}
