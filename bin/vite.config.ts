import { join } from "node:path";
import { defineConfig } from "vite";

/** What runs as a process, by its place below `dist`. */
const programs = ["bin/homesec", ...["detector", "language_model", "enrichment"].map((name) => `daemon/builtin/${name}/main`)];

/** Libraries of the daemon that read files of their own, have parts per platform, or look for what else is installed. */
const separate = ["bullmq", "mqtt", "nodemailer", "nunjucks", "pino", "pino-pretty", "prom-client", "sharp", "smtp-server"];

/**
 * The programs with their libraries in few files: a command loads 30 files instead of 600, which halves its start. Modules that are imported
 * when they are needed stay apart.
 */
export default defineConfig({
  root: join(import.meta.dirname, ".."),
  publicDir: false,
  // a development build of React records every frame of the live view, which fills the memory within days
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  ssr: { noExternal: true, external: separate },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: true,
    target: "node20.19",
    minify: false,
    license: { fileName: "licences.md" },
    rolldownOptions: {
      input: Object.fromEntries(programs.map((name) => [name, join(import.meta.dirname, "..", `${name}.ts`)])),
      output: { entryFileNames: "[name].js", chunkFileNames: "parts/[name]-[hash].js" },
    },
  },
});
