// The console: sign-in first, then the view of the route.
// Data flows one way: `api` calls, `state` holds signals, `views` load, and reload when `state/live` reports
// a change. Stored text is always a text node (`ui/said`).
import { useEffect, useState } from "preact/hooks";
import { open } from "./api/link";
import { server } from "./api/system";
import { Frame } from "./frame";
import { startLive } from "./state/live";
import { route, type View } from "./state/route";
import { link, refused, show, user } from "./state/session";
import { Loading } from "./ui/notes";
import { Toasts } from "./ui/toasts";
import { Context } from "./views/context/context";
import { CoreAndFiles } from "./views/core/core";
import { Graph } from "./views/graph/graph";
import { Memories } from "./views/memories/memories";
import { Overview } from "./views/overview/overview";
import { Review } from "./views/review/review";
import { SignIn } from "./views/sign-in";
import { Tonight } from "./views/tonight/tonight";

// To add a view: a line here, one in `state/route`, and its texts.
const VIEWS: Record<View, () => preact.JSX.Element> = {
  overview: Overview,
  memories: Memories,
  tonight: Tonight,
  review: Review,
  graph: Graph,
  core: CoreAndFiles,
  context: Context,
};

export function App() {
  const inside = user.value !== "" && !refused.value && !link.value;
  const [following, follow] = useState("");
  const [asking, setAsking] = useState(user.value === "" && !link.value);
  useEffect(() => {
    if (!asking) return;
    const answered = server().then(({ defaultUser }) => user.value === "" && show(defaultUser));
    void answered.catch(() => {}).finally(() => setAsking(false));
  }, []);
  useEffect(() => {
    if (link.value) void open(link.value);
  }, [link.value]);
  useEffect(() => {
    if (!inside) return;
    follow(user.value);
    return startLive();
  }, [inside, user.value]);
  if (link.value || asking) return <main class="door"><Loading /></main>;
  if (!inside || following !== user.value) {
    return (
      <>
        {!inside && <SignIn />}
        <Toasts />
      </>
    );
  }
  const View = VIEWS[route.value.view];
  return (
    <>
      <Frame>
        <View key={route.value.view} />
      </Frame>
      <Toasts />
    </>
  );
}
