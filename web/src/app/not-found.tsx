import { Link } from "@tanstack/react-router";
import { Empty } from "@/ui/notice";

export function NotFound() {
  return (
    <>
      <h1 className="visually-hidden">No such page</h1>
      <Empty title="There is no such page">
        <Link to="/">Go to the runs</Link>
      </Empty>
    </>
  );
}
