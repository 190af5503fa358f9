declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  import type { createElement, ReactNode } from "react";

  /** What Swagger UI hands to plugins: its own React, among others. */
  interface System {
    readonly React: { readonly createElement: typeof createElement };
  }

  interface Props {
    /** The text of a description. */
    readonly source?: string;
    /** The text of a link. */
    readonly text?: ReactNode;
  }

  interface Plugin {
    readonly wrapComponents: Readonly<Record<string, (original: unknown, system: System) => (props: Props) => ReactNode>>;
  }

  interface Options {
    readonly spec: object;
    readonly domNode: HTMLElement;
    readonly plugins: readonly Plugin[];
    readonly deepLinking: boolean;
    readonly displayRequestDuration: boolean;
    readonly docExpansion: "list" | "none";
    readonly defaultModelsExpandDepth: number;
    readonly filter: boolean;
    readonly syntaxHighlight: { readonly theme: string };
    readonly validatorUrl: null;
    readonly onComplete: () => void;
  }

  export default function SwaggerUI(options: Options): { preauthorizeApiKey(scheme: string, key: string): void };
}
