import { Link } from "@tanstack/react-router";
import { Empty } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";

export function NotFound() {
  return (
    <>
      <PageTitle title="No such page" />
      <Empty title="Page not found">
        <Link to="/">Go to the runs</Link>
      </Empty>
    </>
  );
}
