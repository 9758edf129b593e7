const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Named {
  origin: string;
  name: string;
  service: string | null;
}

/** What a run is called: a session that has only a made-up id, such as one of a coding agent, by its program. */
export function runName({ origin, name, service }: Named): string {
  return origin === "session" && service && UUID.test(name) ? service : name;
}

/** What a session is called: by what it began with if it has only a made-up id. */
export function sessionName(id: string, question: string | null | undefined): string {
  return question && UUID.test(id) ? question : id;
}
