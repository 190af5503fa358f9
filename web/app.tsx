import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import type { PagePath } from "../src/contract/pages.ts";
import { keyRoutes } from "../src/contract/routes/keys.ts";
import { Role, rememberRole } from "./api/use-may.tsx";
import { useReply } from "./api/use-reply.ts";
import { Frame } from "./frame/frame.tsx";
import { LiveProvider } from "./live/live.tsx";
import { NowPage } from "./pages/now.tsx";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { CameraNames } from "./parts/names.tsx";
import { Failure, Missing } from "./parts/states.tsx";
import { ToastProvider } from "./parts/toast.tsx";
import { FormatProvider } from "./texts/format.tsx";

const SystemPages = lazy(() => import("./pages/system.tsx"));
const SettingsPages = lazy(() => import("./pages/settings.tsx"));

/** The pages by their address. Each but the first is loaded when it is opened. */
const pages: readonly (readonly [path: PagePath, page: ComponentType])[] = [
  ["/", NowPage],
  ["/review", lazy(() => import("./pages/review.tsx"))],
  ["/events/:id", lazy(() => import("./pages/event.tsx"))],
  ["/alerts", lazy(() => import("./pages/alerts.tsx"))],
  ["/cameras", lazy(() => import("./pages/cameras.tsx"))],
  ["/cameras/:id", lazy(() => import("./pages/camera.tsx"))],
  ["/day", lazy(() => import("./pages/day.tsx"))],
  ["/day/:date", lazy(() => import("./pages/day.tsx"))],
  ["/people", lazy(() => import("./pages/people.tsx"))],
  ["/people/:id", lazy(() => import("./pages/person.tsx"))],
  ["/insights", lazy(() => import("./pages/insights.tsx"))],
  ["/search", lazy(() => import("./pages/search.tsx"))],
  ["/rules", lazy(() => import("./pages/rules.tsx"))],
  ["/rules/new", lazy(() => import("./pages/new-rule.tsx"))],
  ["/rules/:id", lazy(() => import("./pages/rule.tsx"))],
  ["/silences", lazy(() => import("./pages/silences.tsx"))],
  ["/system", SystemPages],
  ["/system/processing", SystemPages],
  ["/system/storage", SystemPages],
  ["/welcome", lazy(() => import("./pages/welcome.tsx"))],
  ["/settings", SettingsPages],
  ["/settings/channels", SettingsPages],
  ["/settings/recipients", SettingsPages],
  ["/settings/webhooks", SettingsPages],
  ["/settings/webhooks/:id", SettingsPages],
  ["/settings/modes", SettingsPages],
  ["/settings/keys", SettingsPages],
  ["/settings/configuration", SettingsPages],
];

/** Pages for visitors without an account: without navigation, live messages and the data of the home. */
const openPages: readonly (readonly [path: PagePath, page: ComponentType])[] = [
  ["/login", lazy(() => import("./pages/login.tsx"))],
  ["/shared/:token", lazy(() => import("./pages/shared.tsx"))],
  ["/invite/:token", lazy(() => import("./pages/invite.tsx"))],
];

/** All pages. */
export function App() {
  return (
    <Suspense fallback={null}>
      <Switch>
        {openPages.map(([path, page]) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route>
          <Signed />
        </Route>
      </Switch>
    </Suspense>
  );
}

function Signed() {
  const [path] = useLocation();
  const session = useReply(keyRoutes.getSession, {});
  const role = session.data?.role;
  useEffect(() => {
    if (role !== undefined) rememberRole(role);
  }, [role]);
  // What the page asks for depends on what this client may see
  if (session.isPending && session.failureCount === 0) return null;
  return (
    <Role value={role ?? "owner"}>
      <LiveProvider>
        <FormatProvider>
          <CameraNames>
            <ToastProvider>
              <Frame>
                <ErrorBoundary at={path} fallback={(error) => <Failure error={error} onRetry={() => location.reload()} />}>
                  <Suspense fallback={<div className="min-h-dvh" />}>
                    <Switch>
                      {pages.map(([path, page]) => (
                        <Route key={path} path={path} component={page} />
                      ))}
                      <Route path="/incidents/:id">{({ id }) => <Redirect to={`/events/${id}`} replace />}</Route>
                      <Route component={Missing} />
                    </Switch>
                  </Suspense>
                </ErrorBoundary>
              </Frame>
            </ToastProvider>
          </CameraNames>
        </FormatProvider>
      </LiveProvider>
    </Role>
  );
}
