// A plugin of opencode (https://opencode.ai/docs/plugins) that appends what happens to a file, which `inspector run
// opencode` follows. It changes nothing, and never throws: opencode must work as if it were not there.
//
// opencode tells plugins apart by the names of their files, so this one has a name that no other has.

import { appendFileSync } from "node:fs"

const started = Date.now()
const systems = new Map() // the system prompt of each session, as it was last noted
const latest = new Map() // the system prompt of each session, as it will be sent
const noted = new Map() // how each part was last noted
const complete = new Set() // sessions of which everything is noted, from their beginning

function note(kind, session, said) {
  appendFileSync(process.env.INSPECTOR_OPENCODE, JSON.stringify({ kind, session, at: Date.now(), ...said }) + "\n")
}

function quietly(hook) {
  return async (...of) => {
    try {
      hook(...of)
    } catch {
      // A full disk, or a form that later versions have.
    }
  }
}

// The output of a running command is sent again with each line that it prints, and a text with each word.
function stateOf(part) {
  if (part.type === "tool") return part.state.status === "pending" ? undefined : part.state.status
  if (part.type === "text" || part.type === "reasoning") return part.time && !part.time.end ? undefined : part.text
  return ["file", "step-finish", "retry"].includes(part.type) ? part.type : undefined
}

function onEvent({ event }) {
  const { info, part, sessionID, error } = event.properties ?? {}
  switch (event.type) {
    case "session.created":
      complete.add(info.id)
      note("session", info.id, { info: { id: info.id, parentID: info.parentID, version: info.version } })
      break
    case "message.updated":
      // The summary of a prompt has the changes of all files.
      note("message", info.sessionID, { info: { ...info, summary: info.summary === true } })
      break
    case "message.part.updated": {
      const state = stateOf(part)
      if (state === undefined || noted.get(part.id) === state) break
      noted.set(part.id, state)
      note("part", part.sessionID, { part })
      break
    }
    case "session.error":
      // The message that has the error may come after the end of the work.
      if (sessionID !== undefined) note("error", sessionID, { error })
      break
    case "session.idle":
      note("idle", sessionID)
      break
  }
}

function onMessages(_, { messages }) {
  const session = messages[0]?.info.sessionID
  if (session === undefined || complete.has(session)) return
  complete.add(session)
  const before = messages.filter(({ info }) => info.time.created < started)
  note("history", session, { messages: before })
}

function onParameters({ sessionID, agent }) {
  const system = latest.get(sessionID)
  const isKnown = systems.get(sessionID) === system
  const name = agent?.name ?? agent
  note("asks", sessionID, { agent: name, system: isKnown ? undefined : system })
  systems.set(sessionID, system)
}

export const Inspector = async () => ({
  event: quietly(onEvent),
  "experimental.chat.messages.transform": quietly(onMessages),
  "experimental.chat.system.transform": quietly(({ sessionID }, { system }) => latest.set(sessionID, system.join("\n\n"))),
  "chat.params": quietly(onParameters),
})
