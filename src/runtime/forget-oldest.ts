/** Keeps a map or a set to a size: its oldest entry goes when there is one too many. */
export function forgetOldest<T>(
  entries: Pick<Set<T>, "size" | "delete"> & { keys: () => Iterator<T> },
  max: number,
): void {
  if (entries.size <= max) return;
  const oldest = entries.keys().next();
  if (oldest.done !== true) entries.delete(oldest.value);
}
