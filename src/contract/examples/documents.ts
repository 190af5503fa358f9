import type { documentRoutes } from "../routes/documents.ts";
import type { ExamplesOf } from "./example.ts";
import { version } from "./ids.ts";

export const documentExamples = {
  getOpenapi: { reply: { openapi: "3.1.0", info: { title: "homesec", version }, paths: {} } },
} satisfies ExamplesOf<typeof documentRoutes>;
