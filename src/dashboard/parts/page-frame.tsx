/** The placeholder of a page while its code is loading. */
export function PageFrame() {
  return (
    <div className="page" aria-busy="true">
      <header className="page-head">
        <span className="skeleton skeleton-title" />
      </header>
    </div>
  );
}
