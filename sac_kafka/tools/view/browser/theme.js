// Light or dark theme: the system's, until the reader chooses one.

const theme = (() => {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const told = [];
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const tell = () => told.forEach((each) => each());
  const kept = (action) => {
    try { return action(window.localStorage); } catch { return null; } // a page of a file may have no storage
  };
  const chosen = kept((storage) => storage.getItem("sac-kafka-theme"));
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  system.addEventListener("change", tell);
  return {
    isDark,
    colour: (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim(),
    onChange: (action) => told.push(action),
    toggle() {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept((storage) => storage.setItem("sac-kafka-theme", root.dataset.theme));
      tell();
    },
  };
})();
