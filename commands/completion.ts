import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { word } from "./input/arguments.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "Print a script that completes commands, flags, values and ids in your shell",
  description:
    "Prints a script for bash, zsh or fish. With it the tab key completes commands, flags, values, and the ids of cameras, rules, webhooks, alerts, silences and events of the daemon that runs. After `homesec doctor --only` it knows the checks.",
  arguments: { shell: word(["bash", "zsh", "fish"], "Your shell") },
  examples: [
    { command: "homesec completion bash > ~/.local/share/bash-completion/completions/homesec", note: "bash, from the next shell on" },
    { command: "homesec completion zsh > ~/.zsh/completions/_homesec", note: "zsh, where this folder is in fpath" },
    { command: "homesec completion fish > ~/.config/fish/completions/homesec.fish", note: "fish" },
  ],
  async run({ arguments: { shell } }, io) {
    const { scripts } = await import("./completion/scripts.ts");
    io.output.write(scripts[shell]);
    return exitCodes.ok;
  },
});
