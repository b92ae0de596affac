/* Browsers start no Worker for a page that was opened from disk. There the search runs in a hidden frame instead. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #early = []
    #inside = null

    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = "<!doctype html>"
      frame.addEventListener("load", () => this.#begin(frame, url), { once: true })
      document.documentElement.append(frame)
    }

    #begin(frame, url) {
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = frame.contentDocument.createElement("script")
      script.src = url
      script.addEventListener("load", () => {
        this.#inside = inside
        this.#early.splice(0).forEach(data => this.postMessage(data))
      })
      frame.contentDocument.head.append(script)
    }

    postMessage(data) {
      if (this.#inside) this.#inside.dispatchEvent(new MessageEvent("message", { data }))
      else this.#early.push(data)
    }

    terminate() {}
  }
}
