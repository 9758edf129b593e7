/** The logo of the inspector. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden>
      <rect width="32" height="32" rx="8" fill="var(--accent-ground)" />
      <path d="M8 10h16M11 16h10M14 22h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
