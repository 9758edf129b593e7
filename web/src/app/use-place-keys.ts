import { useNavigate } from "@tanstack/react-router";
import { useKeys } from "@/ui/use-keys";

/** Keys that go to the lists, from any page. */
export function usePlaceKeys(): void {
  const navigate = useNavigate();
  useKeys({
    toRuns: () => void navigate({ to: "/" }),
    toSessions: () => void navigate({ to: "/sessions" }),
    toSpans: () => void navigate({ to: "/spans" }),
    toStats: () => void navigate({ to: "/stats" }),
  });
}
