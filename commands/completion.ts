import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { word } from "./input/arguments.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "Print a completion script for your shell",
  description:
    "Prints a completion script for bash, zsh or fish. The tab key then completes commands, flags, values, checks of `homesec doctor --only`, and ids of cameras, rules, webhooks, alerts, silences and events of the running daemon.",
  arguments: { shell: word(["bash", "zsh", "fish"], "Shell") },
  examples: [
    { command: "homesec completion bash > ~/.local/share/bash-completion/completions/homesec", note: "bash; takes effect in new shells" },
    { command: "homesec completion zsh > ~/.zsh/completions/_homesec", note: "zsh, if the folder is in fpath" },
    { command: "homesec completion fish > ~/.config/fish/completions/homesec.fish", note: "fish" },
  ],
  async run({ arguments: { shell } }, io) {
    const { scripts } = await import("./completion/scripts.ts");
    io.output.write(scripts[shell]);
    return exitCodes.ok;
  },
});
