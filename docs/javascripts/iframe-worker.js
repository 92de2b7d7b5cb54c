// Browsers start no Worker on pages that are opened from a folder (file:), and the search runs in one. There its script
// runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      const own = new URL(url, location);
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inner.document.createElement("script");
          Object.assign(script, { src: new URL(source, own), onload: done, onerror: failed });
          inner.document.body.append(script);
        });
      inner.importScripts = (...sources) => sources.reduce((last, each) => last.then(() => load(each)), Promise.resolve());
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      this.loaded = load(own);
    }

    postMessage(data) {
      const inner = this.frame.contentWindow;
      this.loaded.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
