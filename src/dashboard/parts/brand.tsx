/** Mark and name of the product. */
export function Brand() {
  return (
    <span className="brand">
      <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
        <rect width="16" height="16" rx="4" className="brand-plate" />
        <circle cx="8" cy="6" r="2.4" className="brand-hole" />
        <path d="M7 7h2l.8 5.5H6.2z" className="brand-hole" />
      </svg>
      Keyslot
    </span>
  );
}
