import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "../src/contract/problem.ts";
import { App } from "./app.tsx";
import { prefetch } from "./frame/prefetch.ts";
import { keepPageOnDevice } from "./parts/install.ts";
import { LanguageProvider, loadLanguage } from "./texts/texts.tsx";
import "./styles.css";

/** Shows the sign-in page when the daemon wants a key; the address that was asked for is kept. */
function onError(error: unknown): void {
  if (!(error instanceof Problem) || error.kind !== "unauthorized" || location.pathname === "/login") return;
  location.replace(`/login?to=${encodeURIComponent(location.pathname + location.search)}`);
}

const cache = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // homesec stands in the home: it answers without the internet too
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // live messages keep replies fresh; asking again on each visit would only cost
      staleTime: 30_000,
      retry: (count, error) => count < 2 && (!(error instanceof Problem) || error.kind === "unreachable" || error.kind === "unavailable"),
    },
  },
});

loadLanguage();
prefetch(cache, location.pathname);
keepPageOnDevice();
createRoot(document.getElementById("page") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
